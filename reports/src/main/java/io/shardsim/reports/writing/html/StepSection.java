package io.shardsim.reports.writing.html;

import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.observation.OperationSpan;
import java.util.ArrayList;
import java.util.List;

/** One training step as it runs: a timeline by stream, and links by class and node. */
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

    /** Timelines and heat maps of each series at its largest cluster. */
    public List<Story> stories() {
        List<RunResult> shown = result.series().values().stream()
                .map(ScenarioResult::largestThatFits)
                .filter(run -> !run.timeline().isEmpty())
                .limit(TIMELINES_MAX)
                .toList();
        long stretchPs = shown.stream()
                .mapToLong(run -> StepTimeline.stretchPs(run.timeline()))
                .max()
                .orElse(1);
        List<Story> stories = new ArrayList<>();
        for (RunResult run : shown) {
            List<OperationSpan> spans = run.timeline();
            String name = names.withGpus(run);
            StepTimeline timeline = new StepTimeline(spans, stretchPs);
            stories.add(new Story(
                    name,
                    timeline.draw(Figure.WIDE, name),
                    timeline.draw(Figure.NARROW, name),
                    HeatMap.draw(Figure.WIDE, name, run.links()),
                    HeatMap.draw(Figure.NARROW, name, run.links())));
        }
        return stories;
    }

    public List<Figure.Key> timelineKeys() {
        List<Figure.Key> keys = new ArrayList<>();
        keys.add(Figure.boxKey("part lane-compute", "compute"));
        keys.add(Figure.boxKey("gap", "compute waits"));
        keys.add(Figure.boxKey("part lane-gather", "gather"));
        keys.add(Figure.boxKey("part lane-reduce", "reduce"));
        return keys;
    }
}
