package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.plan.MemoryOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Who holds the memory of rank 0 in the course of a training step: areas on top of each other, in steps, against the capacity. */
final class MemoryAreas {
    private static final int LEFT = 34;
    private static final int TOP = 22;
    private static final int HEIGHT = 150;
    /** Pixels of the narrowest step that is drawn. */
    private static final int STEP = 3;

    private final String name;
    private final MemoryOverTime memory;
    private final List<MemoryOwner> owners;
    private final double capacity;
    private final Axis axis;
    private final double stepSeconds;

    /**
     * @param most the largest capacity or peak of those that stand below each other, so that they compare [bytes]
     */
    MemoryAreas(String name, MemoryOverTime memory, long capacityBytes, long most, double stepSeconds) {
        this.name = name;
        this.memory = memory;
        owners = List.copyOf(memory.bytes().keySet());
        capacity = capacityBytes / Quantities.GIB;
        axis = Axis.upTo(most * 1.02 / Quantities.GIB, 5);
        this.stepSeconds = stepSeconds;
    }

    Figure figure() {
        return new Figure(draw(Figure.WIDE), draw(Figure.NARROW), List.of(), table());
    }

    private String draw(int width) {
        Svg svg = new Svg(
                width,
                TOP + HEIGHT + 34,
                name + ": memory of rank 0 by owner in the course of one training step of "
                        + Quantities.seconds(stepSeconds) + ", at most "
                        + Quantities.gib(memory.total(memory.peakColumn())));
        for (int tick = 0; tick <= axis.ticks(); tick++) {
            double y = y(axis.value(tick));
            svg.line(LEFT, y, width, y, tick == 0 ? "axis" : "grid");
            svg.text(LEFT - 6, y + 4, "end", "tick", axis.label(tick));
        }
        int merged = Math.max(1, (int) Math.ceil((double) STEP * memory.columns() / (width - LEFT)));
        // The tallest stack first, each further one over it, down to the owner at the bottom.
        for (int top = owners.size() - 1; top >= 0; top--) {
            drawStack(svg, width, merged, top);
        }
        svg.line(LEFT, y(capacity), width, y(capacity), "limit");
        svg.text(width, y(capacity) - 5, "end", "limit-name", "capacity " + Quantities.significant(capacity) + " GiB");
        svg.text(LEFT, TOP + HEIGHT + 15, "start", "tick", "0");
        svg.text(width, TOP + HEIGHT + 15, "end", "tick", Quantities.seconds(stepSeconds));
        svg.text(LEFT, TOP + HEIGHT + 31, "start", "axis-name", "GiB of rank 0 over the step");
        return svg.close();
    }

    /** The area from the axis up to the top of one owner; of columns that share a step, the one in which most is held. */
    private void drawStack(Svg svg, int width, int merged, int top) {
        List<double[]> points = new ArrayList<>();
        points.add(new double[] {LEFT, y(0)});
        double before = Double.NaN;
        for (int first = 0; first < memory.columns(); first += merged) {
            double height = stack(fullest(first, Math.min(memory.columns(), first + merged)), top);
            if (height != before) {
                double x = x(width, first);
                points.add(new double[] {x, points.get(points.size() - 1)[1]});
                points.add(new double[] {x, y(height)});
                before = height;
            }
        }
        points.add(new double[] {width, points.get(points.size() - 1)[1]});
        points.add(new double[] {width, y(0)});
        MemoryOwner owner = owners.get(top);
        svg.polygon(
                points.stream().mapToDouble(point -> point[0]).toArray(),
                points.stream().mapToDouble(point -> point[1]).toArray(),
                RunBars.style(owner),
                Names.of(owner) + ": " + Quantities.gib(least(owner)) + " to " + Quantities.gib(most(owner)));
    }

    private int fullest(int first, int end) {
        int fullest = first;
        for (int column = first + 1; column < end; column++) {
            if (memory.total(column) > memory.total(fullest)) {
                fullest = column;
            }
        }
        return fullest;
    }

    private double stack(int column, int top) {
        long sum = 0;
        for (int i = 0; i <= top; i++) {
            sum += memory.of(owners.get(i), column);
        }
        return sum / Quantities.GIB;
    }

    private double x(int width, int column) {
        return LEFT + Math.min(1, column * (memory.columnPs() * 1e-12) / stepSeconds) * (width - LEFT);
    }

    private double y(double gib) {
        return TOP + HEIGHT * (1 - Math.min(1, gib / axis.max()));
    }

    private LongStream held(MemoryOwner owner) {
        return LongStream.range(0, memory.columns()).map(column -> memory.of(owner, (int) column));
    }

    private long least(MemoryOwner owner) {
        return held(owner).min().orElse(0);
    }

    private long most(MemoryOwner owner) {
        return held(owner).max().orElse(0);
    }

    private Figure.Table table() {
        List<List<String>> rows = new ArrayList<>();
        for (MemoryOwner owner : owners) {
            rows.add(List.of(
                    Names.of(owner),
                    Quantities.fixed(least(owner) / Quantities.GIB, 2),
                    Quantities.fixed(most(owner) / Quantities.GIB, 2),
                    Quantities.fixed(memory.of(owner, memory.peakColumn()) / Quantities.GIB, 2)));
        }
        List<String> head = List.of("memory owner", "least [GiB]", "most [GiB]", "at the peak [GiB]");
        return new Figure.Table(head, RunBars.firstIsText(head.size()), rows);
    }
}
