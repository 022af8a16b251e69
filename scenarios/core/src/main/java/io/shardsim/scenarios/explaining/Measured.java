package io.shardsim.scenarios.explaining;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.logs.WrittenSpeed;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A measured speed or memory, in the unit of a training log.
 *
 * @param value value in that unit
 * @param at how the measured run differs from the others, by dotted key
 */
public record Measured(double value, Unit unit, Map<String, String> at) {
    private static final Pattern AT = Pattern.compile("(.*\\S)\\s+at\\s+(\\S+=.*)");

    /** Units that logs print. */
    public enum Unit {
        BUS_BANDWIDTH("GB/s busbw", run -> collective(run).busBytesPerSecond() / 1e9),
        TOKENS_PER_GPU("tokens/s/GPU", run -> run.step().tokensPerSecondPerGpu()),
        TOKENS("tokens/s", run -> run.step().tokensPerSecondPerGpu() * run.gpus()),
        SAMPLES("samples/s", run -> run.step().samplesPerSecond()),
        TFLOPS_PER_GPU("TFLOPS/GPU", run -> run.step().flops().modelTeraflopsPerGpu()),
        MFU("% MFU", run -> 100 * run.step().flops().mfu()),
        SECONDS("s", Unit::seconds),
        /** Share of the healthy speed; the word {@code healthy} means 1. */
        OF_HEALTHY("x healthy", run -> 1),
        ALLOCATED("GiB allocated", run -> gib(run, Metric.PEAK_ALLOCATED_GIB)),
        RESERVED("GiB reserved", run -> gib(run, Metric.PEAK_RESERVED_GIB));

        private final String words;
        private final ToDoubleFunction<RunResult> figure;

        Unit(String words, ToDoubleFunction<RunResult> figure) {
            this.words = words;
            this.figure = figure;
        }

        String words() {
            return words;
        }

        private static Unit of(String words) {
            return Arrays.stream(values())
                    .filter(unit -> unit.words.equals(words))
                    .findFirst()
                    .orElseThrow();
        }

        private static double gib(RunResult run, Metric metric) {
            return Objects.requireNonNull(metric.of(run), "no memory");
        }

        boolean isOfOneGpu() {
            return this == TOKENS_PER_GPU || this == TFLOPS_PER_GPU;
        }

        /** Returns whether it grows with the number of GPUs. */
        boolean isOfAllGpus() {
            return this == TOKENS || this == SAMPLES;
        }

        boolean isMemory() {
            return this == ALLOCATED || this == RESERVED;
        }

        private static BusBandwidth collective(RunResult run) {
            return Objects.requireNonNull(run.collective(), "no collective ran");
        }

        /** Returns the time of an average training step, or of a bare collective. */
        static double seconds(RunResult run) {
            return run.training() == null ? collective(run).seconds() : run.meanStepSeconds();
        }

        /** Returns the unit for the speed of such a run. */
        static Unit speedOf(RunResult run) {
            return run.training() == null ? BUS_BANDWIDTH : TOKENS_PER_GPU;
        }

        /** Returns whether logs of training print it, or else logs of a bare collective. */
        boolean isOf(boolean training) {
            return this == SECONDS || this == OF_HEALTHY || (this == BUS_BANDWIDTH) != training;
        }

        /** Returns the value that the run's log would print. */
        double of(RunResult run) {
            return figure.applyAsDouble(run);
        }
    }

    public Measured {
        at = Collections.unmodifiableMap(new LinkedHashMap<>(at));
    }

    /**
     * Parses strings such as {@code 1,000 tokens/s/GPU}, {@code 7.5k tok/s/gpu}, {@code 12.3 s} or {@code 0.4 it/s} of steps,
     * {@code 26.5 GiB reserved}, or {@code healthy at cluster.nodes=1}.
     *
     * @throws IllegalArgumentException with what to write instead
     */
    public static Measured parse(String written) {
        Matcher at = AT.matcher(written.strip());
        Map<String, String> values = new LinkedHashMap<>();
        if (at.matches()) {
            for (String value : at.group(2).split(",")) {
                int equals = value.indexOf('=');
                if (equals < 1) {
                    throw refused(written);
                }
                values.put(
                        value.substring(0, equals).strip(),
                        value.substring(equals + 1).strip());
            }
        }
        String figure = at.matches() ? at.group(1) : written.strip();
        WrittenSpeed speed =
                WrittenSpeed.of(figure.equalsIgnoreCase("healthy") ? "1 " + Unit.OF_HEALTHY.words : figure);
        String withoutComma = WrittenSpeed.withoutComma(figure);
        if (withoutComma != null) {
            throw new IllegalArgumentException(
                    "'" + written + "' has a comma, which separates thousands; write " + withoutComma);
        }
        if (speed == null || !(speed.value() > 0 && speed.value() < 1e15)) {
            throw refused(written);
        }
        Unit unit = Unit.of(speed.unit());
        if (unit == Unit.MFU && speed.value() > 100) {
            throw new IllegalArgumentException(
                    "'" + written + "' is above the GPUs' peak; write a share of the peak, for example '35 % MFU'");
        }
        return new Measured(speed.value(), unit, values);
    }

    private static IllegalArgumentException refused(String written) {
        return new IllegalArgumentException("'" + written
                + "' is not a speed; write for example '1000 tokens/s/GPU', '9000 tokens/s/GPU at cluster.nodes=1', or 'healthy at cluster.nodes=1', in "
                + Arrays.stream(Unit.values()).map(Unit::words).collect(Collectors.joining(", ")));
    }

    /** Returns whether it only says that the run is healthy. */
    boolean isHealthy() {
        return unit == Unit.OF_HEALTHY && value == 1;
    }

    /** Describes where it was measured; empty for the run as described. */
    String place() {
        return at.entrySet().stream()
                .map(value -> value.getKey() + "=" + value.getValue())
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns a run's speed over the measured speed; for memory, simulated over measured size.
     *
     * @param healthy the run without a fault
     */
    double timesAsFast(RunResult run, RunResult healthy) {
        if (unit == Unit.OF_HEALTHY) {
            return Unit.seconds(healthy) / Unit.seconds(run) / value;
        }
        double simulated = unit.of(run);
        return unit == Unit.SECONDS ? value / simulated : simulated / value;
    }

    /** Returns the figure that the run's log would print. */
    double figure(RunResult run, RunResult healthy) {
        return unit == Unit.OF_HEALTHY ? Unit.seconds(healthy) / Unit.seconds(run) : unit.of(run);
    }

    /** Formats a figure in the unit, for example {@code 1,020 tokens/s/GPU}. */
    String words(double figure) {
        return Quantities.threeDigits(figure) + " " + unit.words;
    }
}
