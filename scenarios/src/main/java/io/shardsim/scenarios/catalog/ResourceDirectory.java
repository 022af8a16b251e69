package io.shardsim.scenarios.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The YAML files of one directory on the class path, in folders and in jars alike, so that adding an entry is adding a file.
 *
 * @param directory with slashes, none at either end
 */
public record ResourceDirectory(String directory, ClassLoader loader) {
    private static final String SUFFIX = ".yaml";

    public ResourceDirectory(String directory) {
        this(directory, ResourceDirectory.class.getClassLoader());
    }

    /** Names of the files, without their suffix, in order. */
    public List<String> names() {
        TreeSet<String> names = new TreeSet<>();
        try {
            Enumeration<URL> places = loader.getResources(directory);
            for (URL place : Collections.list(places)) {
                addNames(place, names);
            }
        } catch (IOException | URISyntaxException failure) {
            throw new IllegalStateException("resources " + directory + " cannot be listed", failure);
        }
        return List.copyOf(names);
    }

    /** The file, or null when there is none of this name. */
    @Nullable
    public InputStream open(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            return null;
        }
        URL url = loader.getResource(directory + "/" + name + SUFFIX);
        if (url == null) {
            return null;
        }
        try {
            URLConnection connection = url.openConnection();
            connection.setUseCaches(false);
            return connection.getInputStream();
        } catch (IOException failure) {
            throw new UncheckedIOException(path(name) + " cannot be read", failure);
        }
    }

    /** The file as messages name it. */
    public String path(String name) {
        return directory + "/" + name + SUFFIX;
    }

    private void addNames(URL place, TreeSet<String> names) throws IOException, URISyntaxException {
        if (place.getProtocol().equals("file")) {
            try (Stream<Path> files = Files.list(Path.of(place.toURI()))) {
                files.map(file -> file.getFileName().toString()).forEach(file -> addName(file, names));
            }
        } else if (place.openConnection() instanceof JarURLConnection connection) {
            connection.setUseCaches(false);
            String prefix = directory + "/";
            try (JarFile jar = connection.getJarFile()) {
                jar.stream()
                        .map(JarEntry::getName)
                        .filter(entry -> entry.startsWith(prefix))
                        .forEach(entry -> addName(entry.substring(prefix.length()), names));
            }
        }
    }

    private static void addName(String file, TreeSet<String> names) {
        if (file.endsWith(SUFFIX) && file.indexOf('/') < 0) {
            names.add(file.substring(0, file.length() - SUFFIX.length()));
        }
    }
}
