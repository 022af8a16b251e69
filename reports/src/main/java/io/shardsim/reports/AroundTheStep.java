package io.shardsim.reports;

import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.topology.InstanceSpec;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Time for input, checkpoints and startup besides the simulated steps.
 *
 * <p>Samples are prefetched, so a step takes the longer of computing it and reading its samples. A checkpoint pauses training while the state is
 * copied to host memory over PCIe and, if one rank writes it all, gathered to that rank's node over its NICs; then while it is written, unless
 * writing is asynchronous, which pauses training only if it is not done by the next checkpoint. Sharded states are written by all nodes that hold a
 * part of one replica, concurrently.
 *
 * <p>Without delayed initialization every rank initializes all parameters in host memory, in FP32, and moves them to its GPU layer by layer to keep
 * its shard [1]. With it only shapes exist before sharding; each layer is then initialized on the GPU, which writes its parameters and reads them
 * once.
 *
 * <p>Ignores the startup of processes and communicators, NIC sharing between storage traffic and training, and the spread of storage latencies.
 * {@link Goodput} covers the cost of failures.
 *
 * <p>[1] Amazon SageMaker developer guide, Delayed parameter initialization, where models of more than 20 or 40 billion parameters may not fit into
 * host memory.
 *
 * @param input absent if the scenario does not describe it
 * @param checkpoint absent if the scenario does not describe it
 * @param startUp absent if the scenario does not describe it
 * @param goodput cost of failures; absent if the scenario expects none
 * @param samplesPerSecond throughput with stalls and pauses, without failures
 * @param cost cost at that rate of the requested training, or of 500 billion tokens
 */
public record AroundTheStep(
        @Nullable Input input,
        @Nullable Checkpoint checkpoint,
        @Nullable StartUp startUp,
        @Nullable Goodput goodput,
        double samplesPerSecond,
        TrainingCost cost) {
    /**
     * Reading samples.
     *
     * @param seconds time to read the samples of a step [s]
     * @param stallSeconds time that a step waits for them [s]
     */
    public record Input(String storage, double seconds, double stallSeconds) {}

    /**
     * Writing checkpoints.
     *
     * @param bytes size of one checkpoint [bytes]
     * @param writeSeconds time to write it [s]
     * @param pauseSeconds time that training pauses for it [s]
     * @param intervalSeconds time from one to the next, pause included [s]
     * @param assembleSeconds time for one node to read all shards and write them as one file; 0 if it is one already [s]
     */
    public record Checkpoint(
            String storage,
            Surroundings.State state,
            long bytes,
            double writeSeconds,
            double pauseSeconds,
            double intervalSeconds,
            double assembleSeconds) {
        /** Returns the share of the time that training is paused, 0 to 1. */
        public double share() {
            return pauseSeconds / intervalSeconds;
        }
    }

    /**
     * Building the model.
     *
     * @param parameters parameters of the whole model
     * @param seconds time until every GPU holds its shard [s]
     * @param hostSeconds time until then without delayed initialization [s]
     * @param hostBytes host memory needed per node without delayed initialization [bytes]
     * @param hostMemoryBytes host memory of a node [bytes]
     */
    public record StartUp(
            boolean delayed,
            long parameters,
            double seconds,
            double hostSeconds,
            long hostBytes,
            long hostMemoryBytes) {
        public boolean fits() {
            return delayed || hostBytes <= hostMemoryBytes;
        }

        String sentence() {
            String onHosts = Quantities.seconds(hostSeconds) + " and " + Quantities.gib(hostBytes) + " of the "
                    + Quantities.gib(hostMemoryBytes) + " of host memory per node";
            if (delayed) {
                return "Start-up: parameters are initialised on the GPUs after sharding, which takes "
                        + Quantities.seconds(seconds)
                        + " and no host memory; on the hosts it would take "
                        + onHosts + ".";
            }
            return "Start-up: every rank initialises all " + Quantities.significant(parameters * 1e-9)
                    + " billion parameters on its host before sharding, which takes " + onHosts
                    + (fits()
                            ? "."
                            : ": more than it has, so the job cannot start; set "
                                    + "delayed_parameter_initialization: true.");
        }
    }

    /** Returns null if the scenario describes nothing around the step, or nothing ran. */
    public static @Nullable AroundTheStep of(RunResult run) {
        Surroundings around = run.facts().surroundings();
        if (around == null || run.training() == null) {
            return null;
        }
        RunFacts facts = run.facts();
        double step = run.meanStepSeconds();
        Input input = around.input() == null ? null : input(facts, around.input(), step);
        double stepWithInput = input == null ? step : step + input.stallSeconds();
        Surroundings.Checkpoint settings = around.checkpoint();
        Checkpoint checkpoint = settings == null ? null : checkpoint(facts, settings, stepWithInput);
        double stepWithAll = settings == null || checkpoint == null
                ? stepWithInput
                : checkpoint.intervalSeconds() / settings.everySteps();
        return new AroundTheStep(
                input,
                checkpoint,
                around.startUp() == null ? null : startUp(facts, around.startUp()),
                settings == null || around.failures() == null
                        ? null
                        : goodput(run, settings, around.failures(), stepWithInput),
                facts.model().globalBatch() / stepWithAll,
                TrainingCost.of(
                        run.step().cost().tokens(),
                        facts.model().tokensPerStep() / stepWithAll,
                        facts.nodes(),
                        facts.cluster().instance().price().usdPerHour()));
    }

    private static Goodput goodput(
            RunResult run, Surroundings.Checkpoint settings, Surroundings.Failures failures, double stepSeconds) {
        RunFacts facts = run.facts();
        Goodput.Choice choice = new Goodput.Choice(
                saving(facts, settings.asynchronous(false), failures, stepSeconds),
                saving(facts, settings.asynchronous(true), failures, stepSeconds));
        return Goodput.of(
                settings.asynchronous() ? choice.asynchronous() : choice.blocking(),
                choice,
                TrainingCost.of(
                        run.step().cost().tokens(),
                        facts.model().tokensPerStep() / stepSeconds,
                        facts.nodes(),
                        facts.cluster().instance().price().usdPerHour()));
    }

    private static Goodput.Saving saving(
            RunFacts facts, Surroundings.Checkpoint settings, Surroundings.Failures failures, double stepSeconds) {
        double written = settings.asynchronous()
                ? checkpoint(facts, settings, stepSeconds).writeSeconds()
                : 0;
        return new Goodput.Saving(
                stepSeconds,
                settings.everySteps(),
                steps -> checkpoint(facts, settings.every(steps), stepSeconds).pauseSeconds(),
                failures.nodeMtbfSeconds() / facts.nodes(),
                failures.detectionSeconds() + failures.restartSeconds() + written);
    }

    private static Input input(RunFacts facts, Surroundings.Input input, double stepSeconds) {
        double bytes = (double) facts.model().globalBatch() * input.sampleBytes();
        double seconds = bytes / input.storage().rate(facts.nodes());
        return new Input(input.storage().name(), seconds, Math.max(0, seconds - stepSeconds));
    }

    private static Checkpoint checkpoint(RunFacts facts, Surroundings.Checkpoint settings, double stepSeconds) {
        InstanceSpec instance = facts.cluster().instance();
        long bytes = BigDecimal.valueOf(settings.bytesPerParameter())
                .multiply(BigDecimal.valueOf(facts.model().size().saved()))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
        boolean full = settings.state() == Surroundings.State.FULL;
        StateHolders holders = facts.sharding().holders();
        double writers = full ? 1 : holders.nodes();
        double pcie = (double) instance.pcie().linkRate().bytesPerSecond()
                * instance.pcie().switches();
        double nics = (double) instance.nic().effectiveRate().bytesPerSecond() * instance.nicsPerNode();
        double gather = full ? bytes * (1 - 1 / holders.nodes()) / nics : 0;
        double copy = bytes / (pcie * writers);
        double write = bytes / settings.storage().rate(writers);
        double between = settings.everySteps() * stepSeconds;
        double pause = gather + copy + (settings.asynchronous() ? Math.max(0, write - between) : write);
        double assemble = full || holders.ranks() == 1
                ? 0
                : 2 * bytes / settings.storage().rate(1);
        return new Checkpoint(
                settings.storage().name(), settings.state(), bytes, write, pause, between + pause, assemble);
    }

    private static StartUp startUp(RunFacts facts, Surroundings.StartUp settings) {
        InstanceSpec instance = facts.cluster().instance();
        long parameters = facts.model().parameters();
        double bytes = 4.0 * parameters;
        double gpusToASwitch = (double) instance.gpusPerNode() / instance.pcie().switches();
        double hostSeconds = parameters * settings.hostSecondsPerParameter()
                + bytes * gpusToASwitch / instance.pcie().linkRate().bytesPerSecond();
        double gpuSeconds = 2 * bytes / instance.gpu().memoryBandwidth().bytesPerSecond();
        return new StartUp(
                settings.delayed(),
                parameters,
                settings.delayed() ? gpuSeconds : hostSeconds,
                hostSeconds,
                Math.multiplyExact(4L * instance.gpusPerNode(), parameters),
                instance.hostMemoryBytes());
    }

    /** Returns the expected training cost, including failures if the scenario expects them. */
    public TrainingCost expected() {
        return goodput == null ? cost : goodput.cost();
    }

    /** Returns one sentence each on startup, input and checkpoints. */
    public List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        if (startUp != null) {
            sentences.add(startUp.sentence());
        }
        if (input != null) {
            sentences.add("Input from " + input.storage() + ": reading the samples of a step takes "
                    + Quantities.seconds(input.seconds())
                    + (input.stallSeconds() > 0
                            ? ", so every step waits " + Quantities.seconds(input.stallSeconds()) + "."
                            : ", hidden behind the previous step."));
        }
        if (checkpoint != null) {
            sentences.add("A " + (checkpoint.state() == Surroundings.State.FULL ? "full" : "sharded")
                    + " checkpoint of " + Quantities.bytes(checkpoint.bytes()) + " takes "
                    + Quantities.seconds(checkpoint.writeSeconds()) + " to write to " + checkpoint.storage()
                    + " and stops training for " + Quantities.seconds(checkpoint.pauseSeconds()) + ", "
                    + Quantities.percent(checkpoint.share()) + " of the time"
                    + (checkpoint.assembleSeconds() > 0
                            ? "; merging it into a full checkpoint takes one node "
                                    + Quantities.seconds(checkpoint.assembleSeconds()) + "."
                            : "."));
        }
        if (input == null && checkpoint == null) {
            return sentences;
        }
        sentences.add("Including both: " + Quantities.significant(samplesPerSecond) + " samples/s, "
                + Quantities.significant(cost.days()) + " days"
                + (cost.hasPrice() ? " and " + Quantities.usd(cost.usd()) : "") + " for "
                + Quantities.tokens(cost.tokens()) + " tokens.");
        if (goodput != null) {
            sentences.add(goodput.sentence());
        }
        return sentences;
    }
}
