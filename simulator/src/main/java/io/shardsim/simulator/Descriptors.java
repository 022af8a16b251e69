package io.shardsim.simulator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The catalog files of a resource folder, {@code <folder>/<id>.yaml}, from every folder and jar of the class path. Nothing lists them: to add
 * one is to add a file.
 *
 * <p>A file that {@code extends: <id>} has the lines of that file, too, but for those that it writes itself. One that is extended and has no
 * {@code class} is there for that alone.
 *
 * <p>Reads the flat part of YAML, {@code key: value} with comments, and refuses the rest, so that whoever needs no more needs no YAML library.
 */
public final class Descriptors {
    private static final String SUFFIX = ".yaml";
    private static final String EXTENDS = "extends";

    private Descriptors() {}

    /** All descriptors of a folder, in the order of their ids. */
    public static List<Descriptor> load(String folder) {
        return load(folder, Descriptors.class.getClassLoader());
    }

    /** All descriptors of a folder that a class loader sees, in the order of their ids. */
    public static List<Descriptor> load(String folder, ClassLoader loader) {
        ResourceDirectory directory = new ResourceDirectory(folder, SUFFIX, loader);
        Map<String, URL> files = new TreeMap<>();
        for (URL file : directory.files()) {
            URL other = files.putIfAbsent(directory.name(file), file);
            if (other != null) {
                throw new DescriptorException(file + " has the same name as " + other + "; rename one of them");
            }
        }
        if (files.isEmpty()) {
            throw new DescriptorException("no " + folder + "/*" + SUFFIX + " on the class path");
        }
        Map<String, Descriptor> written = new TreeMap<>();
        files.keySet().forEach(id -> written.put(id, read(directory, id)));
        Set<String> bases = written.values().stream()
                .map(file -> file.values().get(EXTENDS))
                .collect(Collectors.toSet());
        return written.values().stream()
                .map(file -> new Descriptor(file.id(), file.location(), lines(file, written, new LinkedHashSet<>())))
                .filter(file -> file.values().containsKey("class") || !bases.contains(file.id()))
                .toList();
    }

    /**
     * Lines that are the file's alone, then those of the file that it extends, in that one's order.
     *
     * @param from files that have led to this one
     */
    private static Map<String, String> lines(Descriptor file, Map<String, Descriptor> written, Set<String> from) {
        Map<String, String> own = new LinkedHashMap<>(file.values());
        String base = own.remove(EXTENDS);
        if (base == null) {
            return file.values();
        }
        if (!from.add(file.id())) {
            throw new DescriptorException(file.location() + ": " + String.join(" extends ", from) + " extends "
                    + file.id() + "; remove one of these");
        }
        Descriptor extended = written.get(base);
        if (extended == null) {
            throw new DescriptorException(file.location() + " extends " + base + ", which does not exist; "
                    + Nearest.remedy(base, written.keySet()));
        }
        Map<String, String> inherited = new LinkedHashMap<>(lines(extended, written, from));
        Map<String, String> all = new LinkedHashMap<>(own);
        all.keySet().removeAll(inherited.keySet());
        inherited.putAll(own);
        all.putAll(inherited);
        return Collections.unmodifiableMap(all);
    }

    private static Descriptor read(ResourceDirectory directory, String id) {
        String file = id + SUFFIX;
        try (InputStream in = Objects.requireNonNull(directory.open(id), file);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return new Descriptor(id, file, parse(file, reader));
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
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
