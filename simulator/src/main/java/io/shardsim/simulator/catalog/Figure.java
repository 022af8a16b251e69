package io.shardsim.simulator.catalog;

import org.jspecify.annotations.Nullable;

/**
 * One sourced value of a catalog entry.
 *
 * @param key as the file names it
 * @param value as read: Long in base units, Double, Boolean or String
 * @param text as written
 * @param source where it was read
 * @param date of that source, ISO 8601
 * @param note what a reader should know, or null
 */
public record Figure(
        String key,
        Object value,
        String text,
        String source,
        String date,
        @Nullable String note) {}
