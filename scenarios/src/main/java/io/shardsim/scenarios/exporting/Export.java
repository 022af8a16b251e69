package io.shardsim.scenarios.exporting;

import java.util.List;

/**
 * A training as files of a framework.
 *
 * @param files the one that says the strategy first
 * @param launch a command that runs them
 * @param notes what whoever runs them should know
 * @param lost every setting that they do not carry
 */
public record Export(List<WrittenFile> files, String launch, List<String> notes, List<Lost> lost) {
    public Export {
        files = List.copyOf(files);
        notes = List.copyOf(notes);
        lost = List.copyOf(lost);
    }
}
