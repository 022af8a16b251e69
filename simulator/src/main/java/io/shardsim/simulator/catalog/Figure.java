package io.shardsim.simulator.catalog;

import org.jspecify.annotations.Nullable;

/**
 * Sourced value of a catalog entry.
 *
 * @param key key in the file
 * @param value parsed value: Long in base units, Double, Boolean or String
 * @param text value as written
 * @param source where the value was found
 * @param date of that source, ISO 8601
 * @param note note for readers, or null
 */
public record Figure(
        String key,
        Object value,
        String text,
        String source,
        String date,
        @Nullable String note) {}
