package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How a stream is told and drawn: the one table that terminal, report, trace and page read, in the order in which streams stand. A further stream is
 * a row here.
 *
 * @param stream what reports count it as
 * @param lane its short name beside a timeline
 * @param waiting what compute does when it waits for it; what it is without work, for compute itself
 * @param waitedFor what compute waits for, to follow "waits for"
 * @param mark what a rank on a map of the cluster does while it runs
 */
public record StreamLook(Stream stream, String lane, String waiting, String waitedFor, Mark mark, Paint paint) {

    /** What a rank does; a bit each, so that several add up. */
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
     * Its colours, on light and on dark paper.
     *
     * @param words whether words on it are light on light paper, and dark on dark paper, or dark on both
     * @param hatch angle of the lines where compute waits for it [degrees]
     */
    public record Paint(String light, String dark, Words words, int hatch) {}

    /** Words on a colour. */
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

    private static final List<StreamLook> ALL = List.of(
            new StreamLook(
                    Stream.COMPUTE,
                    "compute",
                    "idle",
                    "nothing",
                    Mark.COMPUTES,
                    new Paint("#2f6ea3", "#6aa5d6", Words.LIKE_PAPER, 15)),
            new StreamLook(
                    Stream.GATHER,
                    "gather",
                    "waiting for parameters",
                    "parameter gathers",
                    Mark.GATHERS,
                    new Paint("#d9642a", "#dc6a30", Words.DARK, 45)),
            new StreamLook(
                    Stream.REDUCE,
                    "reduce",
                    "waiting for gradients",
                    "gradient reductions",
                    Mark.REDUCES,
                    new Paint("#eaa63c", "#e0a040", Words.DARK, -45)),
            new StreamLook(
                    Stream.TENSOR,
                    "tensor",
                    "waiting for tensor parallelism",
                    "its tensor-parallel group",
                    Mark.EXCHANGES,
                    new Paint("#7a6bb0", "#9486c8", Words.DARK, 0)),
            new StreamLook(
                    Stream.CONTEXT,
                    "context",
                    "waiting for keys and values",
                    "keys and values of its context-parallel group",
                    Mark.EXCHANGES,
                    new Paint("#a8668f", "#c07fa8", Words.DARK, 30)),
            new StreamLook(
                    Stream.EXPERT,
                    "expert",
                    "waiting for tokens of experts",
                    "tokens on their way to experts and back",
                    Mark.EXCHANGES,
                    new Paint("#5b8a3c", "#79a857", Words.DARK, 15)),
            new StreamLook(
                    Stream.PIPELINE_FORWARD,
                    "forward",
                    "waiting for activations of the stage before",
                    "activations of the stage before",
                    Mark.EXCHANGES,
                    new Paint("#4f9d8d", "#5fae9d", Words.DARK, 90)),
            new StreamLook(
                    Stream.PIPELINE_BACKWARD,
                    "backward",
                    "waiting for gradients of the stage after",
                    "gradients of the stage after",
                    Mark.EXCHANGES,
                    new Paint("#4f9d8d", "#5fae9d", Words.DARK, 60)),
            new StreamLook(
                    Stream.COPY,
                    "copy",
                    "waiting for host copies",
                    "host copies",
                    Mark.NOTHING,
                    new Paint("#b37aa6", "#b985ae", Words.LIKE_PAPER, -15)),
            new StreamLook(
                    Stream.HOST,
                    "host",
                    "waiting for the host",
                    "the host",
                    Mark.NOTHING,
                    new Paint("#9a9a9a", "#8a8f96", Words.DARK, -75)));

    /** All rows, in the order in which streams stand. */
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

    /** The row of a stream by the id that documents write. */
    public static StreamLook of(String id) {
        for (Stream stream : Stream.values()) {
            if (Names.id(stream).equals(id)) {
                return of(stream);
            }
        }
        throw new IllegalArgumentException("no stream " + id);
    }

    /** As style sheets and documents write it. */
    public String id() {
        return Names.id(stream);
    }

    /** Whether compute may wait for it; the rest of its own time is idle. */
    public boolean isWaitedFor() {
        return mark != Mark.COMPUTES;
    }

    /** What compute does in the overview while it waits for this, with few letters. */
    private String share() {
        return !isWaitedFor()
                ? "works"
                : stream == Stream.PIPELINE_FORWARD || stream == Stream.PIPELINE_BACKWARD
                        ? "bubble (" + lane + ")"
                        : "waits: " + lane;
    }

    /** Its place among streams. */
    public int place() {
        return ALL.indexOf(this);
    }

    /** Colours as variables of a style sheet: {@code --gather}, and {@code --on-gather} for words on it. */
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

    /** What the page is told of every stream, those that reports count as another one included. */
    public static List<Map<String, Object>> document() {
        List<Map<String, Object>> streams = new ArrayList<>();
        for (StreamLook look : ALL) {
            for (Stream each : Stream.values()) {
                if (each.reportedAs() == look.stream) {
                    streams.add(Map.of(
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
                            look.share()));
                }
            }
        }
        return streams;
    }
}
