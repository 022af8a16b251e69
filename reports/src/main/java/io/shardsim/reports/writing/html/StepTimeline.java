package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.StreamLook;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.Stream;
import java.util.Comparator;
import java.util.List;

/**
 * One training step of rank 0 by stream: the whole step as how busy each stream was, and a short stretch operation by operation. Bounded in
 * size however many operations there are.
 */
final class StepTimeline {
    /** Operations of the compute stream that the stretch shows. */
    private static final int STRETCH_OPERATIONS = 14;
    /** A drawing has no more rectangles than this for operations. */
    private static final int SPANS_MAX = 400;

    private static final double PS_TO_SECONDS = 1e-12;
    private static final int LANE = 26;
    private static final int OVERVIEW_LANE = 10;
    private static final int LEFT = 64;

    private final List<OperationSpan> spans;
    private final List<Stream> streams;
    private final long endPs;
    private final long fromPs;
    private final long toPs;

    /**
     * @param stretchPs length of the stretch, the same for all timelines that stand side by side [ps]
     */
    StepTimeline(List<OperationSpan> spans, long stretchPs) {
        this.spans = spans;
        streams = streamsOf(spans);
        endPs = endOf(spans);
        long length = Math.min(stretchPs, endPs);
        long middle = turnOf(spans);
        fromPs = Math.max(0, Math.min(endPs - length, middle - length / 2));
        toPs = fromPs + length;
    }

    /** How long a stretch of the usual number of operations takes around the turn from forward to backward [ps]. */
    static long stretchPs(List<OperationSpan> spans) {
        List<OperationSpan> compute = ofStream(spans, Stream.COMPUTE);
        if (compute.size() <= STRETCH_OPERATIONS) {
            return endOf(spans);
        }
        int turn = turn(compute);
        int first = Math.max(0, Math.min(compute.size() - STRETCH_OPERATIONS, turn - STRETCH_OPERATIONS / 2));
        return compute.get(first + STRETCH_OPERATIONS - 1).endPs()
                - compute.get(first).startPs();
    }

    String draw(int width, String name) {
        int overviewTop = 16;
        int overviewBottom = overviewTop + streams.size() * OVERVIEW_LANE;
        int top = overviewBottom + 30;
        int bottom = top + streams.size() * LANE;
        Svg svg = new Svg(
                width,
                bottom + 34,
                name + ": what each stream of rank 0 does in one training step of "
                        + Quantities.seconds(endPs * PS_TO_SECONDS));
        drawOverview(svg, width, overviewTop, overviewBottom, top);
        drawAxis(svg, width, top, bottom);
        for (int lane = 0; lane < streams.size(); lane++) {
            drawLane(svg, width, streams.get(lane), top + lane * LANE);
        }
        return svg.close();
    }

    private void drawOverview(Svg svg, int width, int top, int bottom, int stretchTop) {
        svg.text(LEFT, top - 5, "start", "tick", "whole step, " + Quantities.seconds(endPs * PS_TO_SECONDS));
        int bins = (width - LEFT) / 3;
        for (int lane = 0; lane < streams.size(); lane++) {
            drawDensity(svg, streams.get(lane), bins, width, top + lane * OVERVIEW_LANE);
        }
        double from = LEFT + (double) (width - LEFT) * fromPs / endPs;
        double to = LEFT + (double) (width - LEFT) * toPs / endPs;
        svg.rect(from, top - 2, Math.max(2, to - from), bottom - top + 3, "stretch", "the stretch below");
        svg.line(from, bottom + 1, LEFT, stretchTop - 4, "stretch-edge");
        svg.line(Math.max(from + 2, to), bottom + 1, width, stretchTop - 4, "stretch-edge");
    }

    /** Busy share of each bin in four shades; neighbours of one shade are one rectangle. */
    private void drawDensity(Svg svg, Stream stream, int bins, int width, double y) {
        double[] busy = new double[bins];
        for (OperationSpan span : ofStream(spans, stream)) {
            double first = (double) span.startPs() / endPs * bins;
            double last = (double) span.endPs() / endPs * bins;
            for (int bin = (int) first; bin < bins && bin < last; bin++) {
                busy[bin] += Math.min(last, bin + 1.0) - Math.max(first, bin);
            }
        }
        double perBin = (double) (width - LEFT) / bins;
        int start = 0;
        for (int bin = 1; bin <= bins; bin++) {
            if (bin == bins || shade(busy[bin]) != shade(busy[start])) {
                if (shade(busy[start]) > 0) {
                    String style = laneStyle(stream) + " shade" + shade(busy[start]);
                    svg.rect(LEFT + start * perBin, y, (bin - start) * perBin, OVERVIEW_LANE - 2, style, "");
                }
                start = bin;
            }
        }
    }

    private static int shade(double busy) {
        return busy < 0.02 ? 0 : Math.min(4, 1 + (int) (busy * 4));
    }

    private void drawLane(Svg svg, int width, Stream stream, double y) {
        svg.text(0, y + LANE - 10, "start", "name", Names.of(stream));
        svg.line(LEFT, y + LANE - 3, width, y + LANE - 3, "grid");
        long freePs = fromPs;
        int drawn = 0;
        for (OperationSpan span : ofStream(spans, stream)) {
            if (span.endPs() <= fromPs || span.startPs() >= toPs || drawn >= SPANS_MAX) {
                continue;
            }
            if (stream == Stream.COMPUTE && span.startPs() > freePs) {
                drawGap(svg, width, freePs, span.startPs(), y);
            }
            drawSpan(svg, width, span, y);
            freePs = Math.max(freePs, span.endPs());
            drawn++;
        }
        if (stream == Stream.COMPUTE && freePs < toPs) {
            drawGap(svg, width, freePs, toPs, y);
        }
    }

    private void drawSpan(Svg svg, int width, OperationSpan span, double y) {
        double from = x(width, Math.max(fromPs, span.startPs()));
        double to = x(width, Math.min(toPs, span.endPs()));
        String title = span.label() + ", " + Quantities.seconds((span.endPs() - span.startPs()) * PS_TO_SECONDS)
                + " from " + Quantities.seconds(span.startPs() * PS_TO_SECONDS);
        svg.rect(from, y, to - from, LANE - 6, "part " + laneStyle(span.stream()), title);
        String label = fitting(span.label(), to - from - 6);
        if (!label.isEmpty()) {
            svg.text(from + 3, y + LANE - 12, "start", "in-lane on-" + laneStyle(span.stream()), label);
        }
    }

    private void drawGap(Svg svg, int width, long from, long to, double y) {
        svg.rect(
                x(width, from),
                y,
                x(width, to) - x(width, from),
                LANE - 6,
                "gap",
                "compute waits, " + Quantities.seconds((to - from) * PS_TO_SECONDS));
    }

    private void drawAxis(Svg svg, int width, int top, int bottom) {
        double lengthMs = (toPs - fromPs) * 1e-9;
        Axis axis = Axis.upTo(lengthMs, width > 500 ? 6 : 3);
        for (int tick = 0; tick <= axis.ticks() && axis.value(tick) <= lengthMs; tick++) {
            double x = LEFT + (width - LEFT) * axis.value(tick) / lengthMs;
            svg.line(x, top - 4, x, bottom, tick == 0 ? "axis" : "grid");
            svg.text(x, bottom + 14, tick == 0 ? "start" : x > width - 20 ? "end" : "middle", "tick", axis.label(tick));
        }
        svg.text(LEFT, bottom + 30, "start", "axis-name", "ms from " + Quantities.seconds(fromPs * PS_TO_SECONDS));
    }

    private double x(int width, long ps) {
        return LEFT + (double) (width - LEFT) * (ps - fromPs) / Math.max(1, toPs - fromPs);
    }

    /** Whole label, or its first and last word's beginning, or nothing. */
    private static String fitting(String label, double pixels) {
        double perCharacter = 5.6;
        if (label.length() * perCharacter <= pixels) {
            return label;
        }
        String shorter = label.replaceFirst("layers? ", "")
                .replaceFirst("forward", "fwd")
                .replaceFirst("backward", "bwd");
        return shorter.length() * perCharacter <= pixels ? shorter : "";
    }

    static String laneStyle(Stream stream) {
        return "lane-" + StreamLook.of(stream).id();
    }

    /** Streams with something on them, in the order in which they stand. */
    static List<Stream> streamsOf(List<OperationSpan> spans) {
        return StreamLook.all().stream()
                .map(StreamLook::stream)
                .filter(stream -> spans.stream().anyMatch(span -> span.stream().reportedAs() == stream))
                .toList();
    }

    private static long endOf(List<OperationSpan> spans) {
        return Math.max(1, spans.stream().mapToLong(OperationSpan::endPs).max().orElse(1));
    }

    private static List<OperationSpan> ofStream(List<OperationSpan> spans, Stream stream) {
        return spans.stream()
                .filter(span -> span.stream().reportedAs() == stream)
                .sorted(Comparator.comparingLong(OperationSpan::startPs))
                .toList();
    }

    private static long turnOf(List<OperationSpan> spans) {
        List<OperationSpan> compute = ofStream(spans, Stream.COMPUTE);
        return compute.isEmpty() ? endOf(spans) / 2 : compute.get(turn(compute)).startPs();
    }

    /** The place nearest the middle where a run of like operations ends: from forward to backward. */
    private static int turn(List<OperationSpan> compute) {
        int middle = compute.size() / 2;
        int best = middle;
        int distance = Integer.MAX_VALUE;
        for (int i = 2; i < compute.size(); i++) {
            boolean turns = like(compute.get(i - 2), compute.get(i - 1)) && !like(compute.get(i - 1), compute.get(i));
            if (turns && Math.abs(i - middle) < distance) {
                best = i;
                distance = Math.abs(i - middle);
            }
        }
        return best;
    }

    private static boolean like(OperationSpan a, OperationSpan b) {
        return a.label().equals(b.label());
    }
}
