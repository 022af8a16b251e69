package io.shardsim.scenarios.exporting;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the configuration of one framework. */
abstract class FrameworkWriter {
    private final List<String> kinds;
    private final Map<String, String> remedies;

    /**
     * @param kinds of strategies that the framework runs
     * @param remedies for settings that the files do not carry, where to say them
     */
    FrameworkWriter(List<String> kinds, Map<String, String> remedies) {
        this.kinds = kinds;
        this.remedies = remedies;
    }

    /** Kinds of strategies that the framework runs. */
    final List<String> kinds() {
        return kinds;
    }

    /** Where to say a setting that the files do not carry; null where only the script can say it. */
    final @Nullable String remedyOf(String key) {
        return remedies.get(key);
    }

    /** What to do about a strategy of another kind; ends a sentence. */
    abstract String remedy(String kind);

    /** Why the framework cannot run this though it runs the kind, and what to write instead; null where it can. */
    abstract @Nullable String refusal(Settings settings);

    /** The files, the one that says the strategy first. */
    abstract List<WrittenFile> files(Settings settings, String instance);

    /** A command that runs the files. */
    abstract String launch(Settings settings);

    /** What whoever runs the files should know. */
    abstract List<String> notes(Settings settings);
}
