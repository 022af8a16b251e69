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

/** A figure that can be measured and simulated alike; named as the result document names it, units included. */
public enum Metric {
    SAMPLES_PER_SECOND(step(RunResult.Training::samplesPerSecond)),
    STEP_SECONDS(step(RunResult.Training::stepSeconds)),
    TOKENS_PER_SECOND_PER_GPU(step(RunResult.Training::tokensPerSecondPerGpu)),
    /** By 8 flops a parameter and token, recomputation counted, attention not. */
    TFLOPS_PER_GPU(step(training -> training.flops().teraflopsPerGpu())),
    /** Most that tensors take of one GPU at a time (torch.cuda.max_memory_allocated). */
    PEAK_ALLOCATED_GIB(memory(RunFacts.Memory::usedBytes)),
    /** Most that the allocator holds, blocks it cannot use included (torch.cuda.max_memory_reserved). */
    PEAK_RESERVED_GIB(memory(RunFacts.Memory::peakBytes)),
    COLLECTIVE_SECONDS(bare(BusBandwidth::seconds)),
    ALGORITHM_BANDWIDTH_BYTES_PER_SECOND(bare(BusBandwidth::algorithmBytesPerSecond)),
    BUS_BANDWIDTH_BYTES_PER_SECOND(bare(BusBandwidth::busBytesPerSecond));

    /** What a figure tells something about. Figures of different kinds are counted apart: their errors say different things. */
    public enum Kind {
        TRAINING_SPEED,
        COLLECTIVES,
        MEMORY;

        /** As tables and documents write it. */
        public String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private final Function<RunResult, @Nullable Double> figure;

    Metric(Function<RunResult, @Nullable Double> figure) {
        this.figure = figure;
    }

    /** As cases and documents write it. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a bare collective has it; otherwise a training step does. */
    public boolean ofCollective() {
        return ordinal() >= COLLECTIVE_SECONDS.ordinal();
    }

    /** Whether it is a size of memory, which says nothing of speed. */
    public boolean isMemory() {
        return this == PEAK_ALLOCATED_GIB || this == PEAK_RESERVED_GIB;
    }

    public Kind kind() {
        return isMemory() ? Kind.MEMORY : ofCollective() ? Kind.COLLECTIVES : Kind.TRAINING_SPEED;
    }

    /**
     * The error with one sign for all speeds: positive where the simulator is too fast, that is where a rate is larger than measured or a time
     * shorter. Of memory, positive where it is too large [1].
     */
    public double bias(double measured, double simulated) {
        return isTime() ? measured / simulated - 1 : simulated / measured - 1;
    }

    /** Whether a smaller figure is the better one. */
    public boolean isTime() {
        return this == STEP_SECONDS || this == COLLECTIVE_SECONDS;
    }

    /** The simulated figure, or null where the run did not come to one. */
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
