package io.shardsim.reports.validation;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.simulator.plan.MemoryOwner;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A figure that can be both measured and simulated; named as in the result document, units included. */
public enum Metric {
    SAMPLES_PER_SECOND(step(RunResult.Training::samplesPerSecond)),
    STEP_SECONDS(step(RunResult.Training::stepSeconds)),
    TOKENS_PER_SECOND_PER_GPU(step(RunResult.Training::tokensPerSecondPerGpu)),
    /** Counts 8 FLOPs per parameter and token, with recomputation, without attention. */
    TFLOPS_PER_GPU(step(training -> training.flops().teraflopsPerGpu())),
    /** Peak memory allocated to tensors on one GPU (torch.cuda.max_memory_allocated). */
    PEAK_ALLOCATED_GIB(memory(RunFacts.Memory::usedBytes)),
    /** Peak memory reserved by the allocator, including unusable blocks (torch.cuda.max_memory_reserved). */
    PEAK_RESERVED_GIB(memory(RunFacts.Memory::peakBytes)),
    COLLECTIVE_SECONDS(bare(BusBandwidth::seconds)),
    ALGORITHM_BANDWIDTH_BYTES_PER_SECOND(bare(BusBandwidth::algorithmBytesPerSecond)),
    BUS_BANDWIDTH_BYTES_PER_SECOND(bare(BusBandwidth::busBytesPerSecond));

    /** The subject of a figure. Kinds are counted separately, since their errors mean different things. */
    public enum Kind {
        TRAINING_SPEED,
        COLLECTIVES,
        MEMORY;

        /** Returns the words used in tables and documents. */
        public String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private final Function<RunResult, @Nullable Double> figure;

    Metric(Function<RunResult, @Nullable Double> figure) {
        this.figure = figure;
    }

    /** Returns the ID used in cases and documents. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether it belongs to a bare collective; otherwise to a training step. */
    public boolean ofCollective() {
        return ordinal() >= COLLECTIVE_SECONDS.ordinal();
    }

    /** Returns whether it is a memory size, which says nothing about speed. */
    public boolean isMemory() {
        return this == PEAK_ALLOCATED_GIB || this == PEAK_RESERVED_GIB;
    }

    public Kind kind() {
        return isMemory() ? Kind.MEMORY : ofCollective() ? Kind.COLLECTIVES : Kind.TRAINING_SPEED;
    }

    /**
     * Returns the error with one sign for all speeds: positive if the simulator is too fast, that is if a rate is higher than measured or a time
     * shorter. For memory, positive if it is too large [1].
     */
    public double bias(double measured, double simulated) {
        return isTime() ? measured / simulated - 1 : simulated / measured - 1;
    }

    /** Returns whether a smaller figure is better. */
    public boolean isTime() {
        return this == STEP_SECONDS || this == COLLECTIVE_SECONDS;
    }

    /** Returns the simulated figure, or null if the run has none. */
    public @Nullable Double of(RunResult run) {
        return figure.apply(run);
    }

    private static Function<RunResult, @Nullable Double> step(Function<RunResult.Training, Double> figure) {
        return run -> run.training() == null ? null : figure.apply(run.training());
    }

    private static Function<RunResult, @Nullable Double> memory(ToLongFunction<RunFacts.Memory> bytes) {
        return run -> {
            RunFacts.Memory memory = run.facts().memory();
            return memory == null
                    ? null
                    : (bytes.applyAsLong(memory) - memory.ofOwner(MemoryOwner.RUNTIME)) / Quantities.GIB;
        };
    }

    private static Function<RunResult, @Nullable Double> bare(Function<BusBandwidth, Double> figure) {
        return run -> run.collective() == null ? null : figure.apply(run.collective());
    }
}
