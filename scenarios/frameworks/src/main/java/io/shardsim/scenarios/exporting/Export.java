package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A training as files of a framework.
 *
 * @param files the one that says the strategy first
 * @param launch a command that runs them
 * @param notes what whoever runs them should know
 * @param lost every setting that they do not carry
 * @param carried the training as import reads it from the files; null where it is the one that was written
 */
public record Export(
        List<WrittenFile> files,
        String launch,
        List<String> notes,
        List<Lost> lost,
        @Nullable ScenarioPoint carried) {
    public Export(
            List<WrittenFile> files,
            String launch,
            List<String> notes,
            List<Lost> lost,
            @Nullable ScenarioPoint carried) {
        this.files = List.copyOf(files);
        this.launch = launch;
        this.notes = List.copyOf(notes);
        this.lost = List.copyOf(lost);
        this.carried = carried;
    }
}
