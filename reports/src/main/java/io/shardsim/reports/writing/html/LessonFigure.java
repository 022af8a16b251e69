package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.plan.MemoryOwner;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What charts of lessons share with the report: its colours, and memory by owner as it names them. */
public final class LessonFigure {
    private LessonFigure() {}

    /** Every colour by its id, as {@code report.js} takes it. */
    public static Map<String, JsonObject> palette() {
        return Palette.document();
    }

    /** Who holds a GPU's memory at the peak, all owners in the order in which they are stacked. */
    public static List<JsonObject> owners(RunFacts.Memory memory) {
        return Arrays.stream(MemoryOwner.values())
                .map(owner -> new JsonObject()
                        .with("colour", RunBars.style(owner))
                        .with("name", Names.of(owner))
                        .with("value", memory.ofOwner(owner))
                        .with("text", Quantities.gib(memory.ofOwner(owner))))
                .toList();
    }
}
