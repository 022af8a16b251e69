package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A training as configuration files of a framework.
 *
 * @param files the one with the strategy first
 * @param launch command that runs them
 * @param notes what the user must know before running them
 * @param lost every setting that they do not contain
 * @param carried the training as imported from the files; null if it is the one exported
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
