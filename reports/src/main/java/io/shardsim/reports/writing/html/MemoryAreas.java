package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.plan.MemoryOwner;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The chart of rank 0's memory by owner over a training step: stacked step areas, against the capacity. */
final class MemoryAreas {
    private static final int HEIGHT = 300;

    private final MemoryOverTime memory;
    private final List<MemoryOwner> owners;
    private final double capacity;
    private final double most;
    private final double stepSeconds;

    /** @param most largest capacity or peak of all charts on the page, so that they compare [bytes] */
    MemoryAreas(MemoryOverTime memory, long capacityBytes, long most, double stepSeconds) {
        this.memory = memory;
        owners = List.copyOf(memory.bytes().keySet());
        capacity = capacityBytes / Quantities.GIB;
        this.most = most * 1.02 / Quantities.GIB;
        this.stepSeconds = stepSeconds;
    }

    Figure figure(String id, String run) {
        JsonObject data = new JsonObject()
                .with("unit", "GiB")
                .with("max", Figure.number(most))
                .with("limit", Figure.number(capacity))
                .with("limitName", "capacity " + Quantities.significant(capacity) + " GiB")
                .with("end", Figure.number(stepSeconds))
                .with(
                        "xs",
                        IntStream.range(0, memory.columns())
                                .mapToObj(column ->
                                        Figure.number(Math.min(stepSeconds, column * (memory.columnPs() * 1e-12))))
                                .toList())
                .list(
                        "layers",
                        owners,
                        owner -> new JsonObject()
                                .with("name", Names.of(owner))
                                .with("colour", RunBars.style(owner))
                                .with("values", values(owner)));
        return new Figure(
                id,
                Figure.Kind.AREAS,
                "Memory during one training step, " + run,
                run + ": memory of rank 0 by owner during one training step of "
                        + Quantities.seconds(stepSeconds) + ", at most "
                        + Quantities.gib(memory.total(memory.peakColumn())),
                HEIGHT,
                data,
                table());
    }

    private List<BigDecimal> values(MemoryOwner owner) {
        return held(owner)
                .mapToObj(bytes -> Figure.number(bytes / Quantities.GIB))
                .toList();
    }

    private LongStream held(MemoryOwner owner) {
        return LongStream.range(0, memory.columns()).map(column -> memory.of(owner, (int) column));
    }

    private Figure.Table table() {
        return new Columns<MemoryOwner>()
                .words("memory owner", Names::of)
                .figure("least [GiB]", owner -> RunBars.gib(held(owner).min().orElse(0)))
                .figure("most [GiB]", owner -> RunBars.gib(held(owner).max().orElse(0)))
                .figure("at the peak [GiB]", owner -> RunBars.gib(memory.of(owner, memory.peakColumn())))
                .of(owners);
    }
}
