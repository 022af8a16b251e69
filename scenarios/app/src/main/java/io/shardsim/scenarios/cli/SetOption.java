package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.scenario.Overrides;
import java.util.List;
import picocli.CommandLine.Option;

/** Values that override those of the file. */
final class SetOption {
    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Override a scenario key, for example training.micro_batch=4. Can be repeated.")
    private List<String> set = List.of();

    Overrides overrides() {
        return Overrides.of("--set", set);
    }
}
