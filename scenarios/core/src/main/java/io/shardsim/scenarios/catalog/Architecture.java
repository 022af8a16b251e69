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
 * What the GPUs of an architecture can do, in a file of the folder {@code catalog/architectures}.
 *
 * @param title one line for people
 * @param precisions those that its cores multiply
 * @param flashAttention the newest version of FlashAttention that has kernels for it; 0 for none
 */
public record Architecture(String title, List<String> precisions, long flashAttention) {
    public static final FigureFolder FILES = new FigureFolder(
            "catalog/architectures",
            "architecture",
            FigureFolder.figures(CatalogKeys.FILE.keys(
                    "architecture", Map.of("precision", ScalarTypes.choice(Precision.values(), Precision::id)))));

    /** What an architecture without a file is taken for: somebody's own, which can do all that is modelled. */
    private static final Architecture ANY = new Architecture(
            "", Arrays.stream(Precision.values()).map(Precision::id).toList(), Long.MAX_VALUE);

    /** That of a GPU. */
    public static Architecture of(GpuSpec gpu) {
        FigureFile file = FILES.find(gpu.architecture());
        return file == null
                ? ANY
                : new Architecture(file.title(), file.list("precisions"), file.whole("flash_attention"));
    }

    /** Whether its cores multiply numbers of this format. */
    public boolean has(Precision precision) {
        return precisions.contains(precision.id());
    }

    /** What people call it, for example {@code Volta}. */
    public static String called(GpuSpec gpu) {
        return gpu.architecture().substring(0, 1).toUpperCase(Locale.ROOT)
                + gpu.architecture().substring(1);
    }
}
