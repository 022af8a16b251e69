package io.shardsim.simulator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The catalog files of a resource folder, {@code <folder>/<id>.yaml}, from every folder and jar of the class path. Nothing lists them: to add
 * one is to add a file.
 *
 * <p>Reads the flat part of YAML, {@code key: value} with comments, and refuses the rest, so that whoever needs no more needs no YAML library.
 */
public final class Descriptors {
    private static final String SUFFIX = ".yaml";

    private Descriptors() {}

    /** All descriptors of a folder, in the order of their ids. */
    public static List<Descriptor> load(String folder) {
        return load(folder, Descriptors.class.getClassLoader());
    }

    /** All descriptors of a folder that a class loader sees, in the order of their ids. */
    public static List<Descriptor> load(String folder, ClassLoader loader) {
        Map<String, Descriptor> byId = new TreeMap<>();
        try {
            for (URL place : Collections.list(loader.getResources(folder))) {
                for (URL file : filesIn(place)) {
                    Descriptor descriptor = read(file);
                    Descriptor other = byId.putIfAbsent(descriptor.id(), descriptor);
                    if (other != null) {
                        throw new DescriptorException(descriptor.location() + " has the same name as "
                                + other.location() + "; rename one of them");
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the resources in " + folder, e);
        }
        if (byId.isEmpty()) {
            throw new DescriptorException("no " + folder + "/*" + SUFFIX + " on the class path");
        }
        return List.copyOf(byId.values());
    }

    private static List<URL> filesIn(URL place) throws IOException {
        if (place.openConnection() instanceof JarURLConnection jar) {
            return filesInJar(place, jar);
        }
        List<URL> files = new ArrayList<>();
        try (Stream<Path> paths = Files.list(Path.of(place.toURI()))) {
            for (Path path : (Iterable<Path>) paths.sorted()::iterator) {
                if (path.getFileName().toString().endsWith(SUFFIX)) {
                    files.add(path.toUri().toURL());
                }
            }
        } catch (URISyntaxException e) {
            throw new IOException("not a file: " + place, e);
        }
        return files;
    }

    private static List<URL> filesInJar(URL place, JarURLConnection connection) throws IOException {
        connection.setUseCaches(false);
        String folder = withSlash(connection.getEntryName());
        List<URL> files = new ArrayList<>();
        try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.startsWith(folder) && name.endsWith(SUFFIX) && name.indexOf('/', folder.length()) < 0) {
                    files.add(new URL(withSlash(place.toString()) + name.substring(folder.length())));
                }
            }
        }
        return files;
    }

    private static String withSlash(String folder) {
        return folder.endsWith("/") ? folder : folder + "/";
    }

    private static Descriptor read(URL file) throws IOException {
        String path = file.getPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        String id = name.substring(0, name.length() - SUFFIX.length());
        var connection = file.openConnection();
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream();
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return new Descriptor(id, name, parse(name, reader));
        }
    }

    static Map<String, String> parse(String location, BufferedReader reader) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        int number = 0;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            number++;
            String text = withoutComment(line);
            if (!text.isBlank()) {
                addLine(values, location + ":" + number, text);
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private static String withoutComment(String line) {
        if (line.startsWith("#")) {
            return "";
        }
        int comment = line.indexOf(" #");
        return comment < 0 ? line : line.substring(0, comment);
    }

    private static void addLine(Map<String, String> values, String location, String text) {
        int colon = text.indexOf(':');
        boolean flat = colon > 0 && !Character.isWhitespace(text.charAt(0)) && text.charAt(0) != '-';
        String value = flat ? unquoted(text.substring(colon + 1).strip()) : "";
        if (value.isEmpty()) {
            throw new DescriptorException(location + ": expected one `key: value`, found `" + text.strip() + "`");
        }
        if (values.putIfAbsent(text.substring(0, colon).strip(), value) != null) {
            throw new DescriptorException(location + ": key " + text.substring(0, colon) + " appears twice");
        }
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(value.length() - 1) == value.charAt(0);
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
