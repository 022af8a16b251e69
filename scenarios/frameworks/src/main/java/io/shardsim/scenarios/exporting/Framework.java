package io.shardsim.scenarios.exporting;

import io.shardsim.simulator.workload.ModelShape;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A framework whose configuration can be written. */
public enum Framework {
    DEEPSPEED("DeepSpeed", new DeepSpeedWriter()),
    FSDP("Accelerate", new AccelerateWriter()),
    SMP("SageMaker", new SageMakerWriter()),
    MEGATRON("Megatron-LM", new MegatronWriter()),
    TORCHTITAN("torchtitan", new TorchtitanWriter());

    private final String title;
    private final FrameworkWriter writer;

    Framework(String title, FrameworkWriter writer) {
        this.title = title;
        this.writer = writer;
    }

    /** The framework of an imported file with such a title, else any that runs the strategy kind; null if none does. */
    public static @Nullable Framework of(Collection<String> titles, String kind) {
        List<Framework> able = Arrays.stream(values())
                .filter(each -> each.kinds().contains(kind))
                .toList();
        return able.stream()
                .filter(each -> titles.stream().anyMatch(title -> title.contains(each.title)))
                .findFirst()
                .orElse(able.isEmpty() ? null : able.get(0));
    }

    /** Name in messages. */
    public String title() {
        return title;
    }

    /** Name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Strategy kinds that it runs. */
    public List<String> kinds() {
        return writer.table().kinds();
    }

    /** Whether it runs the strategy kind and its files can express the model. */
    public boolean takes(String kind, ModelShape model) {
        return kinds().contains(kind)
                && (writer.table().models().isEmpty() || writer.nameOf(model).isPresent());
    }

    FrameworkWriter writer() {
        return writer;
    }

    /** All names for the command line. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Framework::word).toList();
    }
}
