package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.evaluation.Benchmark;
import io.shardsim.scenarios.evaluation.Growth;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardsim bench}: how fast this machine simulates. */
@Command(
        name = "bench",
        description = "Measures wall time and events per second of named workloads on this machine.",
        footer = {
            "",
            "Compare ratios from one run on one machine; single times on a shared machine are noise. phold, "
                    + "ring-256, hierarchical-256 and step-256 execute every event; the others skip what is "
                    + "proven to repeat, as `run` does. Events per second are per core, while it executes "
                    + "events."
        })
final class BenchCommand extends Speaking {
    private static final double MIB = 1024.0 * 1024.0;

    @Parameters(arity = "0..*", paramLabel = "WORKLOAD", description = "Workloads to run. Default: all.")
    private List<String> names = List.of();

    @Option(names = "--repeat", paramLabel = "N", description = "Runs per workload; the median is shown. Default: 3.")
    private int repeat = 3;

    @Option(names = "--json", description = "Print results as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent points of a sweep, or parts of one point. Default: the number of cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--growth",
            description =
                    "Instead measure how cost scales with GPUs, layers and chunks: one core, every event executed.")
    private boolean growth;

    @Override
    int answer() throws InterruptedException {
        if (repeat < 1) {
            throw refused("--repeat " + repeat + " must be at least 1");
        }
        if (growth && !names.isEmpty()) {
            throw refused("--growth runs its own workloads; leave out " + names);
        }
        // If several threads log first at the same time, slf4j prints warnings about its own initialization.
        LoggerFactory.getILoggerFactory();
        PrintWriter out = out();
        List<Benchmark.Measured> rows = growth ? growth(out) : workloads(out);
        if (json) {
            out.print(document(rows));
        }
        out.flush();
        return ExitStatus.DONE;
    }

    private List<Benchmark.Measured> workloads(PrintWriter out) throws InterruptedException {
        List<Benchmark.Measured> rows = new ArrayList<>();
        List<Benchmark> workloads = workloads();
        head(out, "workload");
        for (Benchmark workload : workloads) {
            Benchmark.Measured row = median(workload);
            rows.add(row);
            print(out, row);
        }
        return rows;
    }

    private List<Benchmark.Measured> growth(PrintWriter out) throws InterruptedException {
        List<Benchmark.Measured> rows = new ArrayList<>();
        for (Growth series : Growth.values()) {
            head(out, series.unit());
            for (Benchmark.Measured row : series.measure(repeat)) {
                rows.add(row);
                print(out, row);
            }
        }
        return rows;
    }

    private void head(PrintWriter out, String first) {
        if (!json) {
            out.printf(
                    Locale.ROOT,
                    "%-22s %8s %8s %14s %18s %10s %8s %9s%n",
                    first,
                    "wall s",
                    "CPU s",
                    "executed",
                    "simulated",
                    "M events/s",
                    "skipped",
                    "heap MiB");
        }
    }

    private List<Benchmark> workloads() {
        if (names.isEmpty()) {
            return List.of(Benchmark.values());
        }
        return names.stream().map(this::workload).toList();
    }

    private Benchmark workload(String name) {
        return Stream.of(Benchmark.values())
                .filter(workload -> workload.id().equals(name))
                .findFirst()
                .orElseThrow(() -> refused("no workload " + name + "; there are "
                        + Stream.of(Benchmark.values()).map(Benchmark::id).collect(Collectors.joining(", "))));
    }

    private Benchmark.Measured median(Benchmark workload) throws InterruptedException {
        List<Benchmark.Measured> runs = new ArrayList<>();
        for (int run = 0; run < repeat; run++) {
            runs.add(workload.measure(threads));
        }
        return Benchmark.Measured.median(runs);
    }

    private void print(PrintWriter out, Benchmark.Measured row) {
        if (json) {
            return;
        }
        out.printf(
                Locale.ROOT,
                "%-22s %8.2f %8.3f %,14d %,18d %10.2f %7.0fx %9.0f%n",
                row.workload(),
                row.wallSeconds(),
                row.cpuSeconds(),
                row.executedEvents(),
                row.simulatedEvents(),
                row.executedPerCpuSecond() * 1e-6,
                (double) row.simulatedEvents() / row.executedEvents(),
                row.peakHeapBytes() / MIB);
        out.flush();
    }

    private static String document(List<Benchmark.Measured> rows) {
        return new JsonObject()
                .with("java", Runtime.version().toString())
                .with("processors", Runtime.getRuntime().availableProcessors())
                .list(
                        "workloads",
                        rows,
                        row -> new JsonObject()
                                .with("workload", row.workload())
                                .with("wall_seconds", row.wallSeconds())
                                .with("cpu_seconds", row.cpuSeconds())
                                .with("executed_events", row.executedEvents())
                                .with("simulated_events", row.simulatedEvents())
                                .with("executed_events_per_second", row.executedPerSecond())
                                .with("executed_events_per_cpu_second", row.executedPerCpuSecond())
                                .with("simulated_events_per_second", row.simulatedPerSecond())
                                .with("peak_heap_bytes", row.peakHeapBytes()))
                .text();
    }
}
