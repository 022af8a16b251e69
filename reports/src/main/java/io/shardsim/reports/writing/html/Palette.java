package io.shardsim.reports.writing.html;

import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ShippedFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Colours and patterns of the report, on light and dark backgrounds: one table for the page and its charts. Neighbours also differ in lightness or
 * pattern, for readers who cannot see colours.
 */
final class Palette {
    /** @param pattern pattern drawn over the colour */
    private record Colour(String id, String light, String dark, Pattern pattern) {}

    /**
     * @param kind {@code plain}, {@code lines} or {@code dots}
     * @param angle angle of the lines [degrees]
     */
    private record Pattern(String kind, int angle) {}

    private static final Map<String, Map<String, String>> TABLE = ShippedFile.read(
            Palette.class, "palette.yaml", new MapType(FigureType.LINE, new MapType(FigureType.LINE, FigureType.LINE)));

    /** Colours of the page itself; variables in the style sheet. */
    private static final List<Colour> PAGE = colours("page");

    private Palette() {}

    private static List<Colour> colours(String part) {
        return Objects.requireNonNull(TABLE.get(part), part).entrySet().stream()
                .map(row -> colour(row.getKey(), row.getValue().split(" ")))
                .toList();
    }

    private static Colour colour(String id, String... written) {
        String pattern = written.length > 2 ? written[2] : "plain";
        int angle = written.length > 3 ? Integer.parseInt(written[3]) : 0;
        return new Colour(id, written[0], written[1], new Pattern(pattern, angle));
    }

    /** Returns every colour by its ID. A stream has two: {@code lane-gather} for its operations, {@code x-gather} for compute that waits for it. */
    static Map<String, JsonObject> document() {
        Map<String, JsonObject> all = new LinkedHashMap<>();
        PAGE.forEach(colour -> all.put(colour.id(), document(colour)));
        colours("charts").forEach(colour -> all.put(colour.id(), document(colour)));
        for (StreamLook look : StreamLook.all()) {
            StreamLook.Paint paint = look.paint();
            Colour plain = colour(look.id(), paint.light(), paint.dark());
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

    /** Returns the page's colours as style-sheet variables; the background is white in print. */
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
