package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.topology.GpuSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Capabilities of an architecture's GPUs, from a file in {@code catalog/architectures}.
 *
 * @param title a one-line description
 * @param precisions number formats of its tensor cores
 * @param flashAttention newest FlashAttention version with kernels for it; 0 for none
 */
public record Architecture(String title, List<String> precisions, long flashAttention) {
    public static final FigureFolder FILES = new FigureFolder(
            "catalog/architectures",
            "architecture",
            FigureFolder.figures(CatalogKeys.FILE.keys(
                    "architecture", Map.of("precision", ScalarTypes.choice(Precision.values(), Precision::id)))));

    /** The default for an architecture without a file: a user's own, which supports everything modelled. */
    private static final Architecture ANY = new Architecture(
            "", Arrays.stream(Precision.values()).map(Precision::id).toList(), Long.MAX_VALUE);

    /** Returns the architecture of a GPU. */
    public static Architecture of(GpuSpec gpu) {
        FigureFile file = FILES.find(gpu.architecture());
        return file == null
                ? ANY
                : new Architecture(file.title(), file.list("precisions"), file.whole("flash_attention"));
    }

    /** Returns whether its tensor cores support a number format. */
    public boolean has(Precision precision) {
        return precisions.contains(precision.id());
    }

    /** Returns a GPU's architecture by its usual name, for example {@code Volta}. */
    public static String called(GpuSpec gpu) {
        return gpu.architecture().substring(0, 1).toUpperCase(Locale.ROOT)
                + gpu.architecture().substring(1);
    }
}
