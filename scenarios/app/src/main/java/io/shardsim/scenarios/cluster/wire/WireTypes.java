package io.shardsim.scenarios.cluster.wire;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The types that may be sent: the given messages and everything that their components can hold. Records, enums and sealed interfaces are traversed;
 * lists, maps, byte arrays, numbers, booleans and strings end a traversal; any other type is rejected, by name, when the program starts.
 */
public final class WireTypes {
    private static final Set<Class<?>> LEAVES =
            Set.of(String.class, Object.class, Integer.class, Long.class, Double.class, Boolean.class, byte[].class);

    private final Set<Class<?>> leaves;
    private final Set<Class<?>> found = new LinkedHashSet<>();

    private WireTypes(Set<Class<?>> leaves) {
        this.leaves = leaves;
    }

    /**
     * Returns every record and enum that a message can hold, sorted by name, so that all JVMs of one build number them alike.
     *
     * @param more further types that end a traversal
     */
    public static List<Class<?>> reachableFrom(Collection<Class<?>> messages, Set<Class<?>> more) {
        Set<Class<?>> leaves = new LinkedHashSet<>(LEAVES);
        leaves.addAll(more);
        WireTypes walk = new WireTypes(leaves);
        for (Class<?> message : messages) {
            walk.visit(message, message.getName());
        }
        List<Class<?>> ordered = new ArrayList<>(walk.found);
        ordered.sort(Comparator.comparing(Class::getName));
        return List.copyOf(ordered);
    }

    private void visit(Type type, String where) {
        if (type instanceof Class<?> raw) {
            visitClass(raw, where);
        } else if (type instanceof ParameterizedType parameterized) {
            visitClass((Class<?>) parameterized.getRawType(), where);
            if (!leaves.contains(parameterized.getRawType())) {
                for (Type argument : parameterized.getActualTypeArguments()) {
                    visit(argument, where);
                }
            }
        } else if (type instanceof WildcardType wildcard) {
            visit(wildcard.getUpperBounds()[0], where);
        } else if (type instanceof GenericArrayType array) {
            throw refused(array.getTypeName(), where);
        }
    }

    private void visitClass(Class<?> type, String where) {
        if (type.isPrimitive()
                || leaves.contains(type)
                || type == List.class
                || type == Map.class
                || found.contains(type)) {
            return;
        }
        if (type.isRecord()) {
            found.add(type);
            for (RecordComponent component : type.getRecordComponents()) {
                visit(component.getGenericType(), type.getName() + "." + component.getName());
            }
        } else if (type.isEnum()) {
            found.add(type);
        } else if (type.isSealed()) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                visit(permitted, where);
            }
        } else {
            throw refused(type.getName(), where);
        }
    }

    private static IllegalStateException refused(String type, String where) {
        return new IllegalStateException(where + " is a " + type
                + ", which cannot cross between members; use a record, an enum, a sealed interface, a list or a map");
    }

    /** Returns a hash that differs if any name, component or constant of the types does. */
    public static String fingerprint(List<Class<?>> types) {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : types) {
            text.append(type.getName());
            if (type.isRecord()) {
                for (RecordComponent component : type.getRecordComponents()) {
                    text.append(' ')
                            .append(component.getGenericType().getTypeName())
                            .append(' ')
                            .append(component.getName());
                }
            } else {
                for (Object constant : type.getEnumConstants()) {
                    text.append(' ').append(((Enum<?>) constant).name());
                }
            }
            text.append('\n');
        }
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
