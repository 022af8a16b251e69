package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Names and colours of streams: the one table used by terminal, report, trace and page, {@code streams.yaml}, in display order. To add a stream, add
 * a row there.
 *
 * @param stream the stream it counts as in reports
 * @param lane short name next to a timeline
 * @param waiting description of compute that waits for it; for compute itself, of compute without work
 * @param waitedFor description of what compute waits for, to follow "waits for"
 * @param mark what a rank on a cluster map does while it runs
 */
public record StreamLook(Stream stream, String lane, String waiting, String waitedFor, Mark mark, Paint paint) {

    /** Activities of a rank, one bit each, so that they combine. */
    public enum Mark {
        NOTHING(0),
        COMPUTES(1),
        GATHERS(2),
        REDUCES(4),
        EXCHANGES(8);

        private final int bit;

        Mark(int bit) {
            this.bit = bit;
        }

        public int bit() {
            return bit;
        }
    }

    /**
     * Its colours on light and dark backgrounds.
     *
     * @param words whether text on it is light on light and dark on dark backgrounds, or dark on both
     * @param hatch hatching angle where compute waits for it [degrees]
     */
    public record Paint(String light, String dark, Words words, int hatch) {}

    /** Colours of text on a colour. */
    public enum Words {
        LIKE_PAPER("#ffffff", "#0e1114"),
        DARK("#16181c", "#16181c");

        private final String light;
        private final String dark;

        Words(String light, String dark) {
            this.light = light;
            this.dark = dark;
        }

        public String onLight() {
            return light;
        }

        public String onDark() {
            return dark;
        }
    }

    private static final ValueType TEXT = ScalarTypes.text(".+", "a string");
    private static final BlockType ROW = BlockType.of(
            Key.required("lane", TEXT, "its short name beside a timeline"),
            Key.required("waiting", TEXT, "what compute does when it waits for it"),
            Key.required("waited_for", TEXT, "what compute waits for"),
            Key.required("mark", ScalarTypes.choice(Mark.values(), Names::id), "what a rank does while it runs"),
            Key.required("light", TEXT, "colour on light paper"),
            Key.required("dark", TEXT, "colour on dark paper"),
            Key.required("words", ScalarTypes.choice(Words.values(), Names::id), "words on it"),
            Key.required("hatch", ScalarTypes.whole(-90, 90), "angle of the lines where compute waits for it"));
    private static final List<StreamLook> ALL = read();

    private static List<StreamLook> read() {
        Map<String, Block> rows = ShippedFile.read(
                StreamLook.class, "streams.yaml", new MapType(ScalarTypes.choice(Stream.values(), Names::id), ROW));
        List<StreamLook> all = new ArrayList<>();
        rows.forEach((id, row) -> all.add(new StreamLook(
                Stream.valueOf(id.toUpperCase(Locale.ROOT)),
                row.text("lane", ""),
                row.text("waiting", ""),
                row.text("waited_for", ""),
                Mark.valueOf(row.text("mark", "").toUpperCase(Locale.ROOT)),
                new Paint(
                        row.text("light", ""),
                        row.text("dark", ""),
                        Words.valueOf(row.text("words", "").toUpperCase(Locale.ROOT)),
                        Math.toIntExact(row.whole("hatch", 0))))));
        return List.copyOf(all);
    }

    /** Returns all rows, in display order. */
    public static List<StreamLook> all() {
        return ALL;
    }

    public static StreamLook of(Stream stream) {
        for (StreamLook look : ALL) {
            if (look.stream == stream.reportedAs()) {
                return look;
            }
        }
        throw new IllegalStateException("no row says how " + stream + " looks");
    }

    /** Returns the row of a stream by its ID in documents. */
    public static StreamLook of(String id) {
        for (Stream stream : Stream.values()) {
            if (Names.id(stream).equals(id)) {
                return of(stream);
            }
        }
        throw new IllegalArgumentException("no stream " + id);
    }

    /** Returns the ID used in style sheets and documents. */
    public String id() {
        return Names.id(stream);
    }

    /** Returns whether compute may wait for it; the rest of its own time is idle. */
    public boolean isWaitedFor() {
        return mark != Mark.COMPUTES;
    }

    /** Returns a short description, for the overview, of compute waiting for it. */
    private String share() {
        return !isWaitedFor()
                ? "works"
                : stream == Stream.PIPELINE_FORWARD || stream == Stream.PIPELINE_BACKWARD
                        ? "bubble (" + lane + ")"
                        : "waits: " + lane;
    }

    /** Returns its index in display order. */
    public int place() {
        return ALL.indexOf(this);
    }

    /** Returns colours as style-sheet variables: {@code --gather}, and {@code --on-gather} for text on it. */
    public static String variables() {
        String light = variables(look -> look.paint.light, look -> look.paint.words.light);
        String dark = variables(look -> look.paint.dark, look -> look.paint.words.dark);
        return light + "@media (prefers-color-scheme: dark) { " + dark + "}\n@media print { " + light + "}\n";
    }

    private static String variables(Function<StreamLook, String> colour, Function<StreamLook, String> words) {
        StringBuilder css = new StringBuilder(":root {");
        for (StreamLook look : ALL) {
            css.append(
                    " --%s: %s; --on-%s: %s;".formatted(look.id(), colour.apply(look), look.id(), words.apply(look)));
        }
        return css.append(" }\n").toString();
    }

    /** Returns the page's data on every stream, including those that reports merge into another. */
    public static List<Map<String, Object>> document() {
        List<Map<String, Object>> streams = new ArrayList<>();
        for (StreamLook look : ALL) {
            for (Stream each : Stream.values()) {
                if (each.reportedAs() == look.stream) {
                    streams.add(new TreeMap<>(Map.of(
                            "id",
                            Names.id(each),
                            "as",
                            look.id(),
                            "lane",
                            look.lane,
                            "state",
                            look.mark.bit(),
                            "waitedFor",
                            look.waitedFor,
                            "share",
                            look.share())));
                }
            }
        }
        return streams;
    }
}
