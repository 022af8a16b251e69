package io.shardsim.scenarios.cluster;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;

/** Counts the entries of all tables of an actor, including nested ones, so that new tables are covered automatically. */
final class Tables {
    private Tables() {}

    /** @param into receives counts by {@code Class.field}; empty tables are left out */
    static void count(Object owner, Map<String, Integer> into) {
        for (Field field : owner.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                Object value = value(field, owner);
                Collection<?> entries = value instanceof Map<?, ?> map
                        ? map.values()
                        : value instanceof Collection<?> collection ? collection : java.util.List.of();
                if (!entries.isEmpty()) {
                    into.merge(owner.getClass().getSimpleName() + "." + field.getName(), entries.size(), Integer::sum);
                }
                entries.stream()
                        .filter(entry -> entry.getClass().getNestHost()
                                == owner.getClass().getNestHost())
                        .forEach(entry -> count(entry, into));
            }
        }
    }

    private static Object value(Field field, Object owner) {
        try {
            Object value = field.get(owner);
            return value == null ? "" : value;
        } catch (IllegalAccessException closed) {
            throw new AssertionError(closed);
        }
    }
}
