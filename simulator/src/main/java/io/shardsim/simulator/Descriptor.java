package io.shardsim.simulator;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One catalog file: flat {@code key: value} lines of YAML, of which {@code class} names the Java class that does the work.
 *
 * @param id file name without {@code .yaml}
 * @param location where it was read, for messages
 * @param values in the order of the file
 */
public record Descriptor(String id, String location, Map<String, String> values) {

    public String required(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new DescriptorException(
                    location + ": key " + key + " is missing; the file has " + String.join(", ", values.keySet()));
        }
        return value;
    }

    /** Elements of a list written {@code [a, b]}; a single word is a list of one. */
    public List<String> requiredList(String key) {
        String text = required(key).strip();
        if (text.startsWith("[") && text.endsWith("]")) {
            text = text.substring(1, text.length() - 1);
        }
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(element -> !element.isEmpty())
                .collect(Collectors.toUnmodifiableList());
    }

    /** A new object of the class that the file names, made by its public constructor without parameters. */
    public <T> T instantiate(Class<T> type) {
        String className = required("class");
        try {
            Class<?> named = Class.forName(className, true, type.getClassLoader());
            return type.cast(named.getConstructor().newInstance());
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new DescriptorException(
                    location + ": class " + className + " is not a public " + type.getSimpleName()
                            + " with a public constructor without parameters: " + e,
                    e);
        }
    }
}
