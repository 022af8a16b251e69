package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.plan.MemoryOwner;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Parts that charts of lessons share with the report: its colours, and its names of memory owners. */
public final class LessonFigure {
    private LessonFigure() {}

    /** Returns every colour by its ID, in the form of {@code report.js}. */
    public static Map<String, JsonObject> palette() {
        return Palette.document();
    }

    /** Returns a GPU's memory by owner at the peak, with all owners in stacking order. */
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
