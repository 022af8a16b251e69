package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.topology.GpuSpec;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Tables of the catalog's instances, GPUs and prices, with a header row. */
public final class Machines {
    private Machines() {}

    /** Returns a row per instance; the first two columns are text. */
    public static List<List<String>> instances() {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("instance", "GPUs", "NICs", "USD/h", "as of")));
        for (String name : Catalog.instanceNames()) {
            FigureFile file = Catalog.INSTANCES.named(name);
            Figure price = Catalog.prices().get(name);
            rows.add(List.of(
                    name,
                    file.count("gpus_per_node") + " x " + file.text("gpu"),
                    file.count("nics_per_node") + " x "
                            + Objects.requireNonNull(file.figures().get("nic")).text(),
                    price == null ? "-" : dollars(price),
                    price == null ? "-" : price.date()));
        }
        return rows;
    }

    /** Returns a row per GPU; the first two columns are text. */
    public static List<List<String>> gpus() {
        List<List<String>> rows =
                new ArrayList<>(List.of(List.of("GPU", "architecture", "GiB", "GB/s", "TFLOPS in FP16", "SMs")));
        for (String name : Catalog.gpuNames()) {
            GpuSpec gpu = Objects.requireNonNull(Catalog.gpu(name)).spec();
            rows.add(List.of(
                    name,
                    gpu.architecture(),
                    rounded("%.1f", gpu.memoryBytes() / (double) (1L << 30)),
                    rounded("%.0f", gpu.memoryBandwidth().bytesPerSecond() / 1e9),
                    rounded("%.0f", gpu.peakHalfFlopsPerSecond() / 1e12),
                    String.valueOf(gpu.smCount())));
        }
        return rows;
    }

    /**
     * Returns prices older than a number of days, of instances whose name plus a blank starts with a prefix; the first column is text. A date without
     * a day or month counts as its earliest.
     */
    public static List<List<String>> prices(LocalDate today, long days, String beginning) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("instance", "USD/h", "as of", "days")));
        Catalog.prices().forEach((name, price) -> {
            LocalDate read = LocalDate.parse(
                    price.date() + "-01-01".substring(price.date().length() - 4));
            long age = ChronoUnit.DAYS.between(read, today);
            if (age > days && (name + " ").startsWith(beginning)) {
                rows.add(List.of(name, dollars(price), price.date(), String.valueOf(age)));
            }
        });
        return rows;
    }

    private static String dollars(Figure price) {
        return rounded("%.2f", (Double) price.value());
    }

    private static String rounded(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
