package io.shardsim.reports.writing.html;

import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.observation.MemoryOverTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One training step in time: a timeline by stream, memory by owner, and links by class and node. */
public final class StepSection {
    /** Maximum number of timelines that can be compared by eye. */
    private static final int TIMELINES_MAX = 4;

    private final ScenarioResult result;
    private final RunNames names;

    StepSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** Returns each series' run on its largest cluster. */
    private List<RunResult> shown() {
        return result.series().values().stream()
                .map(ScenarioResult::largestThatFits)
                .filter(run -> !run.rank0().timeline().isEmpty())
                .limit(TIMELINES_MAX)
                .toList();
    }

    /** Returns each stream's operations in one step, all zoomed to a stretch of equal length. */
    public List<Figure> timelines() {
        List<RunResult> shown = shown();
        long stretchPs = shown.stream()
                .mapToLong(run -> StepTimeline.stretchPs(run.rank0().timeline()))
                .max()
                .orElse(1);
        List<Figure> figures = new ArrayList<>();
        for (RunResult run : shown) {
            figures.add(new StepTimeline(run.rank0().timeline(), stretchPs)
                    .figure("timeline-" + (figures.size() + 1), names.withGpus(run), run.training() == null));
        }
        return figures;
    }

    /** Returns link utilization by class and node, for runs whose nodes differ. */
    public List<Figure> links() {
        List<Figure> figures = new ArrayList<>();
        for (RunResult run : shown()) {
            if (run.network().links().stream().noneMatch(NodeLinks::differs)) {
                continue;
            }
            figures.add(NodeLinks.figure(
                    "links-" + (figures.size() + 1),
                    names.withGpus(run),
                    run.network().links()));
        }
        return figures;
    }

    /** Returns memory by owner on one scale; empty for bare collectives. */
    public List<Figure> memory() {
        List<RunResult> shown =
                shown().stream().filter(run -> run.rank0().memory() != null).toList();
        long most = 0;
        for (RunResult run : shown) {
            MemoryOverTime memory = Objects.requireNonNull(run.rank0().memory());
            long capacity = run.facts().ledger().capacityBytes();
            most = Math.max(most, Math.max(capacity, memory.total(memory.peakColumn())));
        }
        List<Figure> figures = new ArrayList<>();
        for (RunResult run : shown) {
            MemoryAreas areas = new MemoryAreas(
                    Objects.requireNonNull(run.rank0().memory()),
                    run.facts().ledger().capacityBytes(),
                    most,
                    run.step().stepSeconds());
            figures.add(areas.figure("memory-" + (figures.size() + 1), names.withGpus(run)));
        }
        return figures;
    }
}
