package io.shardsim.simulator.catalog;

import io.shardsim.simulator.schema.Block;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;

/**
 * File of a {@link DescriptorFolder}, whose {@code class} names the Java class that does the work.
 *
 * @param id file name without {@code .yaml}
 * @param path location, for messages
 * @param block keys of the file and of the files that it extends
 * @param own keys of the file itself, for positions
 */
public record Descriptor(String id, String path, Block block, Block own) {

    /** Returns a string; empty if the file has none. */
    public String text(String key) {
        return block.text(key, "");
    }

    /** Returns the strings of a list. */
    public List<String> words(String key) {
        List<String> words = new ArrayList<>();
        if (block.value(key) instanceof List<?> items) {
            items.forEach(item -> words.add(String.valueOf(item)));
        }
        return words;
    }

    /** Reports a problem with the value of a key. */
    public CatalogException refuse(String key, String message) {
        return new CatalogException(path + (own.has(key) ? ":" + own.at(key) : "") + ": " + message);
    }

    /** Creates an instance of the file's class with its public no-argument constructor. */
    public <T> T instantiate(Class<T> type) {
        return instantiate(type, List.of());
    }

    /** Creates an instance of the file's class with its public one-argument constructor. */
    public <T> T instantiate(Class<T> type, Object argument) {
        return instantiate(type, List.of(argument));
    }

    private <T> T instantiate(Class<T> type, List<Object> arguments) {
        String name = text(DescriptorFolder.CLASS.name());
        Class<?>[] taken = arguments.stream().map(Object::getClass).toArray(Class<?>[]::new);
        try {
            Class<?> named = Class.forName(name, true, type.getClassLoader());
            return type.cast(named.getConstructor(taken).newInstance(arguments.toArray()));
        } catch (InvocationTargetException failure) {
            Throwable cause = failure.getCause();
            String why = cause == null || cause.getMessage() == null ? "gives no reason" : cause.getMessage();
            throw refuse(DescriptorFolder.CLASS.name(), "the constructor of class " + name + " fails: " + why);
        } catch (ClassNotFoundException missing) {
            throw refuse(
                    DescriptorFolder.CLASS.name(),
                    "class " + name + " is not on the class path; add its jar to SHARDSIM_CLASSPATH");
        } catch (LinkageError unusable) {
            throw refuse(
                    DescriptorFolder.CLASS.name(), "class " + name + " cannot be loaded: " + unusable.getMessage());
        } catch (ReflectiveOperationException | ClassCastException unfit) {
            throw refuse(
                    DescriptorFolder.CLASS.name(),
                    "class " + name + " is not a public " + type.getSimpleName() + " with a public constructor "
                            + (taken.length == 0 ? "without parameters" : "that takes " + taken[0].getSimpleName()));
        }
    }
}
