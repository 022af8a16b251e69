package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One training step as it runs: a timeline by stream, memory by owner, and links by class and node. */
public final class StepSection {
    /** Timelines that stand below each other; more are not compared by eye. */
    private static final int TIMELINES_MAX = 4;

    private final ScenarioResult result;
    private final RunNames names;

    StepSection(ScenarioResult result) {
        this.result = result;
        names = new RunNames(result);
    }

    /** A timeline, its heat map and the name of the run. */
    public record Story(String name, String wide, String narrow, String heatWide, String heatNarrow) {}

    /** Memory in the course of the step. */
    public record Holding(String name, Figure figure) {}

    /** Each series at its largest cluster. */
    private List<RunResult> shown() {
        return result.series().values().stream()
                .map(ScenarioResult::largestThatFits)
                .filter(run -> !run.rank0().timeline().isEmpty())
                .limit(TIMELINES_MAX)
                .toList();
    }

    /** Timelines and heat maps. */
    public List<Story> stories() {
        List<RunResult> shown = shown();
        long stretchPs = shown.stream()
                .mapToLong(run -> StepTimeline.stretchPs(run.rank0().timeline()))
                .max()
                .orElse(1);
        List<Story> stories = new ArrayList<>();
        for (RunResult run : shown) {
            List<OperationSpan> spans = run.rank0().timeline();
            String name = names.withGpus(run);
            StepTimeline timeline = new StepTimeline(spans, stretchPs);
            stories.add(new Story(
                    name,
                    timeline.draw(Figure.WIDE, name),
                    timeline.draw(Figure.NARROW, name),
                    HeatMap.draw(Figure.WIDE, name, run.network().links()),
                    HeatMap.draw(Figure.NARROW, name, run.network().links())));
        }
        return stories;
    }

    /** Memory by owner, all on one scale; empty for bare collectives. */
    public List<Holding> holdings() {
        List<RunResult> shown =
                shown().stream().filter(run -> run.rank0().memory() != null).toList();
        long most = 0;
        for (RunResult run : shown) {
            MemoryOverTime memory = Objects.requireNonNull(run.rank0().memory());
            long capacity = run.facts().ledger().capacityBytes();
            most = Math.max(most, Math.max(capacity, memory.total(memory.peakColumn())));
        }
        List<Holding> holdings = new ArrayList<>();
        for (RunResult run : shown) {
            String name = names.withGpus(run);
            MemoryAreas areas = new MemoryAreas(
                    name,
                    Objects.requireNonNull(run.rank0().memory()),
                    run.facts().ledger().capacityBytes(),
                    most,
                    run.step().stepSeconds());
            holdings.add(new Holding(name, areas.figure()));
        }
        return holdings;
    }

    public List<Figure.Key> memoryKeys() {
        Set<MemoryOwner> owners = EnumSet.noneOf(MemoryOwner.class);
        for (RunResult run : shown()) {
            if (run.rank0().memory() != null) {
                owners.addAll(run.rank0().memory().bytes().keySet());
            }
        }
        return owners.stream()
                .map(owner -> Figure.boxKey("part " + RunBars.style(owner), Names.of(owner)))
                .toList();
    }

    /** Streams that one of the timelines has. */
    public List<Figure.Key> timelineKeys() {
        Set<Stream> streams = new LinkedHashSet<>();
        for (RunResult run : shown()) {
            streams.addAll(StepTimeline.streamsOf(run.rank0().timeline()));
        }
        List<Figure.Key> keys = new ArrayList<>();
        for (Stream stream : streams) {
            keys.add(Figure.boxKey("part " + StepTimeline.laneStyle(stream), Names.of(stream)));
            if (stream == Stream.COMPUTE) {
                keys.add(Figure.boxKey("gap", "compute waits"));
            }
        }
        return keys;
    }
}
