package io.shardsim.scenarios.exporting;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the configuration of one framework. */
interface FrameworkWriter {
    /** Kinds of strategies that the framework runs. */
    List<String> kinds();

    /** What to do about a strategy of another kind; ends a sentence. */
    String remedy(String kind);

    /** Why the framework cannot run this though it runs the kind, and what to write instead; null where it can. */
    @Nullable
    String refusal(Settings settings);

    /** The files, the one that says the strategy first. */
    List<WrittenFile> files(Settings settings, String instance);

    /** A command that runs the files. */
    String launch(Settings settings);

    /** What whoever runs the files should know. */
    List<String> notes(Settings settings);

    /** Where to say a setting that the files do not carry; null where only the script can say it. */
    @Nullable
    String remedyOf(String key);
}
