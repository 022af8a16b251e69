package io.shardsim.reports.writing.html;

import io.shardsim.reports.RunNames;
import java.util.List;

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
        return new Figure(draw(Figure.WIDE, false), draw(Figure.NARROW, true), keys, table);
    }

    private String draw(int width, boolean namesAbove) {
        int row = BAR + GAP + (namesAbove ? NAME_ABOVE : 0);
        int bars = groups.stream().mapToInt(group -> group.bars().size()).sum();
        long headings =
                groups.stream().filter(group -> !group.heading().isEmpty()).count();
        int top = Double.isNaN(limit) ? 4 : 22;
        int bottom = top + bars * row + (int) headings * HEADING;
        double left = namesAbove ? 0 : nameWidth();
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
                drawBar(svg, bar, left, right, y, namesAbove);
                y += row;
            }
        }
        drawLimit(svg, left, right, top, bottom);
        return svg.close();
    }

    private double nameWidth() {
        int longest = 0;
        for (Group group : groups) {
            for (Bar bar : group.bars()) {
                longest = Math.max(longest, bar.name().length());
            }
        }
        return Math.min(240, longest * 6.6 + 16);
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

    private void drawBar(Svg svg, Bar bar, double left, double right, double rowTop, boolean nameAbove) {
        double y = rowTop + (nameAbove ? NAME_ABOVE : 0);
        if (nameAbove) {
            svg.text(left, y - 4, "start", "name", RunNames.shortened(bar.name(), 44));
        } else {
            svg.text(left - 8, y + BAR - 5, "end", "name", RunNames.shortened(bar.name(), 35));
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
