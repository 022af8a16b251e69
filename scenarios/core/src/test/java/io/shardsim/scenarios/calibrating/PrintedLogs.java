package io.shardsim.scenarios.calibrating;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.shardsim.scenarios.calibrating.CollectiveTest.Row;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.simulator.collective.CollectiveKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Logs as nccl-tests prints them: of public figures, and of times that somebody chose. */
final class PrintedLogs {
    private static final Path FOLDER = Path.of("core/src/test/resources/nccl-tests");

    private PrintedLogs() {}

    /**
     * A public log.
     *
     * @param machine instance of the catalog, or words
     * @param collective that the page names
     */
    record Public(
            String file,
            String machine,
            int gpus,
            int nodes,
            String collective,
            String verdict,
            String cause,
            NamedCsvRecord row) {
        private String field(String name) {
            return row.getField(name);
        }

        /** What {@code --base} names: an instance of the catalog or a file that describes the machine; null if neither is known. */
        @Nullable
        String base() {
            return field("base").isEmpty()
                    ? Catalog.instance(machine) == null ? null : machine
                    : FOLDER.resolve("machines/" + field("base") + ".yaml").toString();
        }

        double largestBusBandwidth() {
            return Double.parseDouble(field("largest_busbw_out_of_place"));
        }

        long largestBytes() {
            return Long.parseLong(field("largest_bytes"));
        }

        /** Its lines in the columns of its release, after what its launcher prints. */
        String text() {
            String prefix = field("prefix");
            StringBuilder out = new StringBuilder();
            line(out, prefix, "# Collective test starting: " + collective + "_perf");
            if (!field("header").isEmpty()) {
                line(out, prefix, "# " + field("header"));
            }
            ranks(out, prefix, gpus, nodes);
            line(out, prefix, "#  " + field("columns"));
            rows().forEach(fields -> line(
                    out, prefix, fields.stream().filter(each -> !each.isEmpty()).collect(Collectors.joining("  "))));
            return out.toString();
        }

        List<List<String>> rows() {
            try (CsvReader<de.siegmar.fastcsv.reader.CsvRecord> rows =
                    CsvReader.builder().ofCsvRecord(FOLDER.resolve(file))) {
                return rows.stream()
                        .skip(1)
                        .map(each -> List.copyOf(each.getFields()))
                        .toList();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** Every public log. */
    static List<Public> all() {
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(FOLDER.resolve("index.csv"))) {
            return rows.stream()
                    .filter(row -> Files.exists(FOLDER.resolve(row.getField("file"))))
                    .map(row -> new Public(
                            row.getField("file"),
                            row.getField("machine"),
                            count(row.getField("gpus")),
                            count(row.getField("nodes")),
                            row.getField("collective"),
                            row.getField("verdict"),
                            row.getField("cause"),
                            row))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static int count(String text) {
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    /** A log of times that somebody chose, of a collective of which each rank has a GPU. */
    static String of(CollectiveTest test, DoubleUnaryOperator noise) {
        StringBuilder out = new StringBuilder();
        line(out, "", "# Collective test starting: " + program(test.kind()) + "_perf");
        line(out, "", "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 ");
        ranks(out, "", test.ranks(), test.nodes());
        line(out, "", "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong");
        for (Row row : test.rows()) {
            double us = noise.applyAsDouble(1e6 * row.seconds());
            double algorithm = row.bytes() / us / 1e3;
            String half = String.format(
                    Locale.ROOT,
                    "%.2f %.2f %.2f 0",
                    us,
                    algorithm,
                    algorithm * test.kind().busFactor(test.ranks()));
            line(out, "", row.bytes() + " " + row.bytes() / 4 + " float none -1 " + half + " " + half);
        }
        return out.toString();
    }

    private static String program(CollectiveKind kind) {
        return kind == CollectiveKind.ALL_TO_ALL ? "alltoall" : kind.id();
    }

    private static void ranks(StringBuilder out, String prefix, int gpus, int nodes) {
        IntStream.range(0, gpus)
                .forEach(rank -> line(
                        out,
                        prefix,
                        String.format(
                                Locale.ROOT,
                                "#  Rank %2d Group  0 Pid 1 on host%d device %2d [0x10] GPU",
                                rank,
                                rank * nodes / gpus,
                                rank % Math.max(1, gpus / nodes))));
    }

    private static void line(StringBuilder out, String prefix, String text) {
        out.append(prefix).append(prefix.isEmpty() ? "" : " ").append(text).append('\n');
    }
}
