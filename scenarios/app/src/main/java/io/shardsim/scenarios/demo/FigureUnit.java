package io.shardsim.scenarios.demo;

import io.shardsim.reports.Quantities;
import java.util.Arrays;
import java.util.regex.Pattern;

/** What a figure of the result document is counted in, by its key. */
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

    /** How the page knows it. */
    String id() {
        return id;
    }

    /** For the text and the table, whose words say what days and samples are. */
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

    /** A value that stands by itself. */
    String quantity(double value) {
        String words = words(value);
        return Character.isLetter(words.charAt(words.length() - 1)) || this == SHARE ? words : words + " " + id;
    }
}
