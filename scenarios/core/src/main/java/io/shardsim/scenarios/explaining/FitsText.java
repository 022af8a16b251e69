package io.shardsim.scenarios.explaining;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Formats what fits on how many GPUs, as text and as JSON. */
public final class FitsText {
    private static final List<String> HEAD = List.of("", "", "GPUs", "GiB/GPU", "batch", "tokens/s", "USD/h", "USD/B");

    private FitsText() {}

    /** Returns text of at most {@code width} columns. */
    public static String write(Fits.Asked asked, List<Fits.Row> rows, int width) {
        InstanceSpec server = asked.server();
        Paragraphs out = new Paragraphs(width);
        out.line(asked.model() + " on " + server.gpu().name() + ": fewest GPUs for each training setup, "
                + Quantities.count(asked.sequenceLength()) + " tokens per sample");
        out.asIs("\n");
        List<List<String>> table = new ArrayList<>(List.of(HEAD));
        for (int i = 0; i < rows.size(); i++) {
            Fits.Row row = rows.get(i);
            table.add(row.run() == null ? nowhere(i + 1, row) : cells(i + 1, row, row.run(), asked));
        }
        out.table(table, 2).asIs("\n");
        for (Fits.Row row : rows) {
            if (row.run() == null) {
                out.line(row.way() + ": " + row.why() + ".");
            }
        }
        out.line("GPUs in powers of two, with headroom for fragmentation; full activation checkpointing; "
                + Fits.SAMPLES_PER_GPU
                + " samples per GPU and step; the largest micro-batch that fits (batch), or with a "
                + "pipeline the fastest. USD/B: per billion tokens.");
        double price = server.price().usdPerHour();
        out.line("Servers: " + server.name() + ", " + server.gpusPerNode() + " GPUs, "
                + (Double.isNaN(price)
                        ? "without a price in the catalog"
                        : Quantities.fixed(price, 2) + " USD an hour on demand ("
                                + server.price().asOf() + ")")
                + "; a partly used server costs the full price.");
        out.line("--scenario N prints row N as a file for run, explain and plan; plan finds faster configurations.");
        return out.toString();
    }

    private static List<String> nowhere(int number, Fits.Row row) {
        return List.of(String.valueOf(number), row.way(), "-", "-", "-", "-", "-", "-");
    }

    private static List<String> cells(int number, Fits.Row row, RunResult run, Fits.Asked asked) {
        boolean priced = !Double.isNaN(row.usdPerHour(asked));
        return List.of(
                String.valueOf(number),
                row.way(),
                String.valueOf(run.gpus()),
                MemoryWords.cell(run.facts().ledger().fit()),
                String.valueOf(run.facts().model().microBatch()),
                Quantities.threeDigits(row.tokensPerSecond(asked)),
                priced ? Quantities.threeDigits(row.usdPerHour(asked)) : "-",
                priced ? Quantities.threeDigits(row.usdPerBillionTokens(asked)) : "-");
    }

    /** Returns JSON that is equal for equal answers, whatever the number of threads. */
    public static String json(Fits.Asked asked, List<Fits.Row> rows) {
        InstanceSpec server = asked.server();
        return new JsonObject()
                .with("model", asked.model())
                .with("gpu", server.gpu().name())
                .with("instance", server.name())
                .with("sequence_length", asked.sequenceLength())
                .list("ways", rows, row -> row(asked, row))
                .text();
    }

    private static JsonObject row(Fits.Asked asked, Fits.Row row) {
        JsonObject out = new JsonObject().with("way", row.way()).with("settings", row.settings());
        RunResult run = row.run();
        if (run == null) {
            return out.with("why", row.why());
        }
        double usd = row.usdPerHour(asked);
        return out.with("gpus", run.gpus())
                .with("nodes", Objects.requireNonNull(row.point()).cluster().nodes())
                .with("micro_batch", run.facts().model().microBatch())
                .with("needed_bytes", run.facts().ledger().fit().neededBytes())
                .with("tokens_per_second", row.tokensPerSecond(asked))
                .with("usd_per_hour", Double.isNaN(usd) ? null : usd)
                .with("usd_per_billion_tokens", Double.isNaN(usd) ? null : row.usdPerBillionTokens(asked));
    }
}
