package io.shardsim.scenarios.demo;

import io.shardsim.reports.Quantities;
import java.util.Arrays;
import java.util.regex.Pattern;

/** The unit of a result figure, by its key. */
enum FigureUnit {
    RATE("B/s", "bytes_per_second$"),
    GIB("GiB", "memory"),
    BYTES("B", "bytes"),
    SECONDS("s", "seconds$"),
    SHARE("%", "share$"),
    STEPS("steps", "every$"),
    DAYS("days", "days$"),
    SAMPLES("samples/s", "samples_per_second$");

    private final String id;
    private final Pattern key;

    FigureUnit(String id, String key) {
        this.id = id;
        this.key = Pattern.compile(key);
    }

    static FigureUnit of(String figure) {
        return Arrays.stream(values())
                .filter(unit -> unit.key.matcher(figure).find())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no unit for " + figure));
    }

    /** Returns the page's ID for it. */
    String id() {
        return id;
    }

    /** Formats a value for the text and the table, whose words name days and samples. */
    String words(double value) {
        return switch (this) {
            case RATE -> Quantities.bytesPerSecond(value);
            case GIB -> Quantities.gib((long) value);
            case BYTES -> Quantities.bytes(value);
            case SECONDS -> Quantities.seconds(value);
            case SHARE -> Quantities.significant(100 * value) + " %";
            case STEPS -> Quantities.count((long) value);
            case DAYS, SAMPLES -> Quantities.significant(value);
        };
    }

    /** Formats a value with its unit. */
    String quantity(double value) {
        String words = words(value);
        return Character.isLetter(words.charAt(words.length() - 1)) || this == SHARE ? words : words + " " + id;
    }
}
