package io.shardsim.reports.writing.html;

import io.shardsim.reports.ShortNames;
import java.util.List;
import java.util.Map;

/** Horizontal bars in groups, each a stack of parts that differ by colour and pattern, with a figure at its end. */
final class StackedBars {
    /**
     * @param style class of the style sheet
     * @param title what the pointer shows
     */
    record Part(String style, double value, String title) {}

    /**
     * @param end text behind the bar
     * @param alarm true to set the text as a warning
     */
    record Bar(String name, List<Part> parts, String end, boolean alarm) {}

    record Group(String heading, List<Bar> bars) {}

    private static final int BAR = 18;
    private static final int GAP = 8;
    private static final int HEADING = 26;
    private static final int NAME_ABOVE = 17;
    private static final double TEXT_WIDTH = 6.6;
    private static final double WIDEST_TEXT = 7.4;
    /** Characters of names that stand beside their bars. */
    private static final int NAME_BESIDE_MAX = 35;

    private final String description;
    private final List<Group> groups;
    private final Axis axis;
    private final String unit;
    private final double limit;
    private final String limitName;
    private final int endWidth;

    /**
     * @param limit a value to mark with a line, NaN for none
     * @param endWidth pixels kept for the text behind the bars
     */
    StackedBars(
            String description,
            List<Group> groups,
            Axis axis,
            String unit,
            double limit,
            String limitName,
            int endWidth) {
        this.description = description;
        this.groups = groups;
        this.axis = axis;
        this.unit = unit;
        this.limit = limit;
        this.limitName = limitName;
        this.endWidth = endWidth;
    }

    Figure figure(List<Figure.Key> keys, Figure.Table table) {
        return new Figure(draw(Figure.WIDE, !fitBeside()), draw(Figure.NARROW, true), keys, table);
    }

    /** Whether names leave enough of a wide drawing to the bars. */
    private boolean fitBeside() {
        return shortNames(NAME_BESIDE_MAX).values().stream()
                .noneMatch(name -> name.indexOf(ShortNames.CUT) >= 0 || name.length() > NAME_BESIDE_MAX);
    }

    private Map<String, String> shortNames(int length) {
        return ShortNames.of(
                groups.stream()
                        .flatMap(group -> group.bars().stream())
                        .map(Bar::name)
                        .toList(),
                length);
    }

    private String draw(int width, boolean namesAbove) {
        Map<String, String> names = shortNames(namesAbove ? (int) (width / WIDEST_TEXT) : NAME_BESIDE_MAX);
        int row = BAR + GAP + (namesAbove ? NAME_ABOVE : 0);
        int bars = groups.stream().mapToInt(group -> group.bars().size()).sum();
        long headings =
                groups.stream().filter(group -> !group.heading().isEmpty()).count();
        int top = Double.isNaN(limit) ? 4 : 22;
        int bottom = top + bars * row + (int) headings * HEADING;
        double left = namesAbove ? 0 : nameWidth(names);
        double right = width - endWidth;
        Svg svg = new Svg(width, bottom + 34, description);
        drawAxis(svg, left, right, top, bottom);
        double y = top;
        for (Group group : groups) {
            if (!group.heading().isEmpty()) {
                svg.text(0, y + HEADING - 8, "start", "heading", group.heading());
                y += HEADING;
            }
            for (Bar bar : group.bars()) {
                drawBar(svg, bar, names.getOrDefault(bar.name(), bar.name()), left, right, y, namesAbove);
                y += row;
            }
        }
        drawLimit(svg, left, right, top, bottom);
        return svg.close();
    }

    private static double nameWidth(Map<String, String> names) {
        int longest = names.values().stream().mapToInt(String::length).max().orElse(0);
        return Math.min(240, longest * TEXT_WIDTH + 16);
    }

    private void drawAxis(Svg svg, double left, double right, double top, double bottom) {
        int every = axis.ticks() > 5 && right - left < 400 ? 2 : 1;
        for (int tick = 0; tick <= axis.ticks(); tick++) {
            double x = x(left, right, axis.value(tick));
            svg.line(x, top, x, bottom, tick == 0 ? "axis" : "grid");
            if (tick % every == 0) {
                svg.text(x, bottom + 15, tick == 0 ? "start" : "middle", "tick", axis.label(tick));
            }
        }
        svg.text(left, bottom + 31, "start", "axis-name", unit);
    }

    private void drawBar(Svg svg, Bar bar, String name, double left, double right, double rowTop, boolean nameAbove) {
        double y = rowTop + (nameAbove ? NAME_ABOVE : 0);
        if (nameAbove) {
            svg.text(left, y - 4, "start", "name", name);
        } else {
            svg.text(left - 8, y + BAR - 5, "end", "name", name);
        }
        double from = 0;
        double end = left;
        for (Part part : bar.parts()) {
            double x = x(left, right, from);
            from += part.value();
            end = x(left, right, Math.min(from, axis.max()));
            if (end - x >= 0.05) {
                svg.rect(x, y, end - x, BAR, "part " + part.style(), part.title());
            }
        }
        double textAt = Double.isNaN(limit) ? end : Math.max(end, x(left, right, limit));
        svg.text(textAt + 6, y + BAR - 5, "start", bar.alarm() ? "end alarm" : "end", bar.end());
    }

    private void drawLimit(Svg svg, double left, double right, double top, double bottom) {
        if (!Double.isNaN(limit)) {
            double x = x(left, right, limit);
            svg.line(x, top - 4, x, bottom, "limit");
            svg.text(x, top - 9, "end", "limit-name", limitName);
        }
    }

    private double x(double left, double right, double value) {
        return left + (right - left) * value / axis.max();
    }
}
