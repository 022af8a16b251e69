package io.shardsim.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files of one kind in one directory of the class path, in folders and jars, so that adding an entry is adding a file.
 *
 * @param directory with slashes, none at either end
 * @param suffix of the files, for example {@code .yaml}
 */
public record ResourceDirectory(String directory, String suffix, ClassLoader loader) {
    /** Data files by jar location; a start lists a dozen folders of one large jar. */
    private static final Map<String, List<String>> DATA_IN_JARS = new ConcurrentHashMap<>();

    public ResourceDirectory(String directory, String suffix) {
        this(directory, suffix, ResourceDirectory.class.getClassLoader());
    }

    /** Returns the names of the files, without their suffix, in order; refuses duplicates. */
    public List<String> names() {
        Map<String, URL> files = new TreeMap<>();
        for (URL file : files()) {
            URL other = files.putIfAbsent(name(file), file);
            if (other != null) {
                throw sameName(file, other);
            }
        }
        return List.copyOf(files.keySet());
    }

    /** Opens the file; returns null if there is none of this name, refuses duplicates. */
    public @Nullable InputStream open(String name) throws IOException {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            return null;
        }
        Enumeration<URL> files = loader.getResources(path(name));
        if (!files.hasMoreElements()) {
            return null;
        }
        URL file = files.nextElement();
        if (files.hasMoreElements()) {
            throw sameName(files.nextElement(), file);
        }
        return loader.getResourceAsStream(path(name));
    }

    private static ClassPathException sameName(URL file, URL other) {
        return new ClassPathException(file + " has the same name as " + other + "; rename one of them");
    }

    /** Returns the path of the file on the class path, as messages print it. */
    public String path(String name) {
        return directory + "/" + name + suffix;
    }

    /** Returns all files, two of one name if two places of the class path have it. */
    List<URL> files() {
        List<URL> files = new ArrayList<>();
        try {
            for (URL place : Collections.list(loader.getResources(directory))) {
                files.addAll(
                        place.openConnection() instanceof JarURLConnection jar
                                ? filesInJar(place, jar)
                                : filesInFolder(place));
            }
        } catch (IOException | URISyntaxException failure) {
            throw new IllegalStateException("resources " + directory + " cannot be listed", failure);
        }
        return files;
    }

    /** Returns the name of a file, without its suffix. */
    String name(URL file) {
        String path = file.getPath();
        return path.substring(path.lastIndexOf('/') + 1, path.length() - suffix.length());
    }

    private List<URL> filesInFolder(URL place) throws IOException, URISyntaxException {
        List<URL> files = new ArrayList<>();
        try (Stream<Path> paths = Files.list(Path.of(place.toURI()))) {
            for (Path path : (Iterable<Path>) paths.sorted()::iterator) {
                if (path.getFileName().toString().endsWith(suffix)) {
                    files.add(path.toUri().toURL());
                }
            }
        }
        return files;
    }

    private List<URL> filesInJar(URL place, JarURLConnection connection) throws IOException {
        String prefix = directory + "/";
        String base = place.toString().endsWith("/") ? place.toString() : place + "/";
        List<URL> files = new ArrayList<>();
        for (String name : data(connection)) {
            if (name.startsWith(prefix) && name.endsWith(suffix) && name.indexOf('/', prefix.length()) < 0) {
                files.add(new URL(base + name.substring(prefix.length())));
            }
        }
        return files;
    }

    /** Lists the files of a jar other than classes. Bypasses the connection cache, which would keep the jar open. */
    private static List<String> data(JarURLConnection connection) throws IOException {
        String key = connection.getJarFileURL().toString();
        List<String> known = DATA_IN_JARS.get(key);
        if (known == null) {
            connection.setUseCaches(false);
            try (JarFile jar = connection.getJarFile()) {
                known = jar.stream()
                        .map(JarEntry::getName)
                        .filter(name -> !name.endsWith(".class"))
                        .toList();
            }
            DATA_IN_JARS.put(key, known);
        }
        return known;
    }
}
