package io.shardsim.scenarios.exporting;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A framework whose configuration can be written. */
public enum Framework {
    DEEPSPEED("DeepSpeed", new DeepSpeedWriter()),
    FSDP("Accelerate", new AccelerateWriter()),
    SMP("SageMaker", new SageMakerWriter()),
    MEGATRON("Megatron-LM", new MegatronWriter());

    private final String title;
    private final FrameworkWriter writer;

    Framework(String title, FrameworkWriter writer) {
        this.title = title;
        this.writer = writer;
    }

    /** As people call it. */
    public String title() {
        return title;
    }

    /** As the command line names it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Kinds of strategies that it runs. */
    public List<String> kinds() {
        return writer.kinds();
    }

    FrameworkWriter writer() {
        return writer;
    }

    /** All words. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Framework::word).toList();
    }
}
