package io.shardsim.reports.writing.html;

import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Colours and patterns of the report, on light and on dark paper: one table for the page and its charts. Neighbours differ in lightness or
 * pattern, too, so that they differ without colour.
 */
final class Palette {
    /**
     * @param pattern what is drawn over the colour
     */
    private record Colour(String id, String light, String dark, Pattern pattern) {}

    /**
     * @param kind {@code plain}, {@code lines} or {@code dots}
     * @param angle of the lines [degrees]
     */
    private record Pattern(String kind, int angle) {}

    private static final Pattern PLAIN = new Pattern("plain", 0);
    private static final Pattern DOTS = new Pattern("dots", 0);

    /** Colours of the page itself; the style sheet knows them as variables. */
    private static final List<Colour> PAGE = List.of(
            plain("paper", "#fcfbf8", "#14171b"),
            plain("ink", "#1c1f24", "#e6e3dd"),
            plain("soft", "#565d68", "#a3a9b2"),
            plain("rule", "#dedad2", "#32373e"),
            plain("faint", "#f2efe9", "#1c2026"),
            plain("accent", "#8a3b12", "#f0a878"),
            plain("alarm", "#a4161a", "#ff8f88"),
            plain("busy", "#2f6ea3", "#6aa5d6"));

    private static final List<Colour> CHARTS = List.of(
            plain("s0", "#0b5f96", "#6cb8ee"),
            plain("s1", "#c4500a", "#f58d4a"),
            plain("s2", "#007d60", "#45c9a3"),
            plain("s3", "#9a4a86", "#dc9ccb"),
            plain("s4", "#8a6d00", "#dcc04a"),
            plain("s5", "#4a4f57", "#b4bac2"),
            plain("s6", "#2b8fb5", "#4d9fd0"),
            plain("s7", "#a33b3b", "#ee8a8a"),
            plain("w-forward", "#123f66", "#9cc9ee"),
            plain("w-recompute", "#6a9cc4", "#3f79a8"),
            plain("w-backward", "#2f6ea3", "#6aa5d6"),
            plain("w-head", "#a9c6dd", "#2b5475"),
            plain("w-optimizer", "#7b858f", "#8a949e"),
            plain("w-copy", "#c9ced3", "#545c65"),
            new Colour("x-slowdown", "#4f87b5", "#3f79a8", DOTS),
            plain("x-idle", "#e3dfd6", "#2a2f36"),
            new Colour("gap", "#f3d3bf", "#5a3a26", new Pattern("lines", 45)),
            plain("less", "#007d60", "#45c9a3"),
            new Colour("more", "#c4500a", "#f58d4a", new Pattern("lines", 45)),
            plain("total", "#0b5f96", "#6cb8ee"),
            plain("m-parameters", "#17475f", "#a8d4e6"),
            plain("m-gradients", "#3f7f8f", "#5fa3b3"),
            plain("m-optimizer-states", "#86b7b5", "#2f6470"),
            new Colour("m-gathered-units", "#d98a4a", "#e09355", new Pattern("lines", 45)),
            plain("m-activations", "#7a5a8e", "#c6a3d8"),
            new Colour("m-working-set", "#b79cc4", "#76598a", DOTS),
            plain("m-buckets", "#c9a63c", "#d4b24a"),
            plain("m-runtime", "#8b9199", "#8b9199"),
            new Colour("m-fragmentation", "#c4c8cd", "#565d66", new Pattern("lines", 0)),
            plain("h0", "#eef1f3", "#20262c"),
            plain("h1", "#c5d8e6", "#24425a"),
            plain("h2", "#86b0d0", "#2f688f"),
            plain("h3", "#3c7cab", "#5da0cd"),
            plain("h4", "#0f4470", "#bfe1f8"),
            new Colour("misfit", "#e3dfd6", "#2a2f36", new Pattern("lines", -45)),
            plain("hatch", "#fffdf8", "#14171b"));

    private Palette() {}

    private static Colour plain(String id, String light, String dark) {
        return new Colour(id, light, dark, PLAIN);
    }

    /** Every colour by its id. A stream has two: {@code lane-gather} for its operations, {@code x-gather} where compute waits for it. */
    static Map<String, JsonObject> document() {
        Map<String, JsonObject> all = new LinkedHashMap<>();
        PAGE.forEach(colour -> all.put(colour.id(), document(colour)));
        CHARTS.forEach(colour -> all.put(colour.id(), document(colour)));
        for (StreamLook look : StreamLook.all()) {
            StreamLook.Paint paint = look.paint();
            Colour plain = plain(look.id(), paint.light(), paint.dark());
            List<String> words = List.of(paint.words().onLight(), paint.words().onDark());
            Colour hatched = new Colour(look.id(), paint.light(), paint.dark(), new Pattern("lines", paint.hatch()));
            all.put("lane-" + look.id(), document(plain).with("words", words));
            all.put("x-" + look.id(), document(hatched));
        }
        return all;
    }

    private static JsonObject document(Colour colour) {
        return new JsonObject()
                .with("colours", List.of(colour.light(), colour.dark()))
                .with("pattern", colour.pattern().kind())
                .with("angle", colour.pattern().angle());
    }

    /** The page's colours as variables of a style sheet; paper is white in print. */
    static String variables() {
        String light = variables(Colour::light);
        return light + "@media (prefers-color-scheme: dark) { " + variables(Colour::dark) + "}\n@media print { " + light
                + ":root { --paper: #fff; --ink: #000; --accent: #000; } }\n";
    }

    private static String variables(Function<Colour, String> value) {
        StringBuilder css = new StringBuilder(":root {");
        PAGE.forEach(colour -> css.append(" --")
                .append(colour.id())
                .append(": ")
                .append(value.apply(colour))
                .append(';'));
        return css.append(" }\n").toString();
    }
}
