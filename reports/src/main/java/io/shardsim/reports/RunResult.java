package io.shardsim.reports;

import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.LinkClass;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of one point of a scenario.
 *
 * @param facts facts known before the run
 * @param training metrics of a training step; absent if the run did not fit or is a bare collective
 * @param collective metrics of a bare collective; absent otherwise
 * @param network traffic of the links
 * @param rank0 timeline and memory of rank 0
 * @param remedy the nearest change that fits, in words; absent if the run fits
 * @param effort cost of the simulation
 * @param digest hash over all totals and times; absent if nothing ran
 */
public record RunResult(
        RunFacts facts,
        @Nullable Training training,
        @Nullable BusBandwidth collective,
        Network network,
        Rank0 rank0,
        @Nullable String remedy,
        Effort effort,
        @Nullable String digest) {

    /** Returns whether both are one object. Other points of a sweep may have equal figures, and comparing them all would take long. */
    @SuppressWarnings("ReferenceEquality")
    public boolean is(@Nullable RunResult other) {
        return this == other;
    }

    /**
     * Traffic of the links.
     *
     * @param links one entry per link class that has ports; empty if nothing ran
     * @param nicBytesSent bytes that the NICs of all nodes sent [bytes]
     */
    public record Network(List<LinkUse> links, long nicBytesSent) {}

    /**
     * Timeline and memory of rank 0.
     *
     * @param timeline its operations by start time
     * @param memory its memory by owner over the step; absent for a bare collective, and if nothing ran
     */
    public record Rank0(
            List<OperationSpan> timeline, @Nullable MemoryOverTime memory) {}

    /**
     * Cost of the simulation.
     *
     * @param executedEvents events executed one by one
     * @param simulatedEvents events that these represent
     * @param pendingEventsMax maximum number of pending events
     * @param wallSeconds host time; differs from run to run [s]
     */
    public record Effort(long executedEvents, long simulatedEvents, long pendingEventsMax, double wallSeconds) {}

    /** The outcome of a run. */
    public enum Status {
        OK("ok"),
        OUT_OF_MEMORY("out_of_memory");

        private final String id;

        Status(String id) {
            this.id = id;
        }

        /** Returns the form used in results.json. */
        public String id() {
            return id;
        }
    }

    /**
     * Metrics of a training step.
     *
     * @param computeBusy share of the step that the compute stream was busy, mean over ranks, 0 to 1
     * @param scaling absent outside a sweep
     */
    public record Training(
            double samplesPerSecond,
            double tokensPerSecondPerGpu,
            double computeBusy,
            ModelFlopsUtilization flops,
            StepBreakdown breakdown,
            ExposedCommunication exposed,
            List<TrainingCost> costs,
            @Nullable ScalingEfficiency scaling) {
        /** Returns the time of one optimizer step [s]. */
        public double stepSeconds() {
            return breakdown.stepSeconds();
        }

        /** Returns the cost of the longest training, or of the requested one. */
        TrainingCost cost() {
            return costs.get(costs.size() - 1);
        }

        Training with(TrainingCost other) {
            return new Training(
                    samplesPerSecond,
                    tokensPerSecondPerGpu,
                    computeBusy,
                    flops,
                    breakdown,
                    exposed,
                    List.of(other),
                    scaling);
        }

        Training with(@Nullable ScalingEfficiency other) {
            return new Training(
                    samplesPerSecond, tokensPerSecondPerGpu, computeBusy, flops, breakdown, exposed, costs, other);
        }
    }

    /** Interprets an observation. */
    public static RunResult of(RunFacts facts, StepObservation observation, double wallSeconds) {
        return of(facts, observation, null, wallSeconds);
    }

    /** Interprets an observation together with the run's memory over time. */
    public static RunResult of(
            RunFacts facts, StepObservation observation, @Nullable MemoryOverTime memory, double wallSeconds) {
        RunFacts.Collective bare = facts.collective();
        double seconds = observation.endPs() * StepBreakdown.SECONDS_PER_PICOSECOND;
        return new RunResult(
                facts,
                facts.training() == null ? null : training(facts, facts.training(), observation),
                bare == null ? null : BusBandwidth.of(bare.kind(), bare.totalBytes(), facts.gpus(), seconds),
                new Network(
                        LinkUse.of(observation.links(), facts.nodes(), observation.endPs()),
                        LinkUse.bytesSentByNics(observation.links())),
                new Rank0(List.copyOf(observation.timeline()), memory),
                null,
                new Effort(
                        observation.executedEvents(),
                        observation.simulatedEvents(),
                        observation.pendingEventsMax(),
                        wallSeconds),
                observation.digest());
    }

    /**
     * Creates the result of a point that was not run because it does not fit.
     *
     * @param remedy the nearest change that fits, in words
     */
    public static RunResult outOfMemory(RunFacts facts, String remedy) {
        return new RunResult(
                facts,
                null,
                null,
                new Network(List.of(), 0),
                new Rank0(List.of(), null),
                remedy,
                new Effort(0, 0, 0, 0),
                null);
    }

    private static Training training(RunFacts facts, RunFacts.Training model, StepObservation observation) {
        StepBreakdown breakdown = StepBreakdown.of(observation);
        MeanStep mean = facts.tried().mean();
        double step = mean == null ? breakdown.stepSeconds() : mean.seconds();
        double samplesPerSecond = model.globalBatch() / step;
        double tokensPerSecond = model.tokensPerStep() / step;
        double tokensPerSecondPerGpu = tokensPerSecond / facts.gpus();
        return new Training(
                samplesPerSecond,
                tokensPerSecondPerGpu,
                busyShare(observation, Stream.COMPUTE),
                ModelFlopsUtilization.of(
                        tokensPerSecondPerGpu,
                        model.size().counted(),
                        Math.min(model.size().trained(), model.size().counted()),
                        model.attentionFlopsPerToken(),
                        model.recomputation(),
                        model.peak().flopsPerSecond()),
                breakdown,
                ExposedCommunication.of(
                        breakdown,
                        breakdown.stepSeconds()
                                * ExposedCommunication.COLLECTIVES.stream()
                                        .mapToDouble(stream -> busyShare(observation, stream))
                                        .sum(),
                        observation.timeline()),
                TrainingCost.quoted(
                        model.sequenceLength(),
                        tokensPerSecond,
                        facts.nodes(),
                        facts.cluster().instance().price().usdPerHour()),
                null);
    }

    private static double busyShare(StepObservation observation, Stream stream) {
        double busyPs = 0;
        for (RankTotals rank : observation.ranks()) {
            busyPs += rank.busyPs().getOrDefault(stream, 0L);
        }
        double wholePs = (double) observation.endPs() * observation.ranks().size();
        return wholePs == 0 ? 0 : busyPs / wholePs;
    }

    /** Returns the metrics of a training step; throws if none ran. */
    public Training step() {
        return Objects.requireNonNull(training, "no training step ran");
    }

    /** Returns the average step time, including occasional outages [s]. */
    public double meanStepSeconds() {
        MeanStep mean = facts.tried().mean();
        return mean == null ? step().stepSeconds() : mean.seconds();
    }

    public int gpus() {
        return facts.gpus();
    }

    public int nodes() {
        return facts.nodes();
    }

    public Status status() {
        return remedy == null ? Status.OK : Status.OUT_OF_MEMORY;
    }

    public boolean fits() {
        return remedy == null;
    }

    /** Returns its scaling efficiency; null outside a sweep, if no training step ran, or if its series has no base. */
    public @Nullable ScalingEfficiency scaling() {
        return training == null ? null : training.scaling();
    }

    /** Returns whether its memory is so close to the GPU's that the model cannot say for certain whether it fits. */
    public boolean isAtEdge() {
        return facts.messages().stream().anyMatch(message -> message.code() == MessageCode.MEMORY_EDGE);
    }

    /** Returns whether it is a training that fits only without fragmentation. */
    public boolean isTight() {
        return facts.memory() != null && facts.memory().fit().isTight();
    }

    /** Returns the cluster's training tokens per second, including stalls, pauses and failures; 0 if no training step ran [1/s]. */
    public double tokensPerSecond() {
        if (training == null) {
            return 0;
        }
        double stepsAlone = training.samplesPerSecond() * facts.model().sequenceLength();
        AroundTheStep around = AroundTheStep.of(this);
        return around == null
                ? stepsAlone
                : stepsAlone * (training.cost().days() / around.expected().days());
    }

    /**
     * Returns the cost of a training of the requested length, including input stalls, checkpoint pauses and failures if the scenario has them; null
     * if no training step ran.
     */
    public @Nullable TrainingCost cost() {
        if (training == null) {
            return null;
        }
        AroundTheStep around = AroundTheStep.of(this);
        return around == null ? training.cost() : around.expected();
    }

    /** Returns the strategy in words, or the collective if there is no strategy. */
    public String label() {
        if (facts.strategy() != null) {
            return facts.strategy().label(gpus());
        }
        RunFacts.Collective bare = facts.collective();
        return bare == null ? "" : bare.kind().id() + ", " + bare.algorithm();
    }

    public @Nullable LinkUse link(LinkClass linkClass) {
        return network.links().stream()
                .filter(use -> use.linkClass() == linkClass)
                .findFirst()
                .orElse(null);
    }

    RunResult withScaling(@Nullable ScalingEfficiency scaling) {
        return training == null ? this : with(facts, training.with(scaling));
    }

    /** Returns this with results of other settings. */
    public RunResult withTried(RunFacts.Tried tried) {
        return with(facts.withTried(tried), training);
    }

    /** Returns this with the cost of its faults by rank. */
    public RunResult withRadius(BlastRadius radius) {
        return withTried(facts.tried().with(radius, facts.path()));
    }

    /** Returns this with its critical path. */
    public RunResult withPath(CriticalParts path) {
        return withTried(facts.tried().with(facts.radius(), path));
    }

    /** Returns this with the cost of each difference from the fastest comparable run. */
    public RunResult withCauses(Map<String, Long> causesPs) {
        return withTried(facts.tried().withCauses(causesPs));
    }

    /** Returns this with the cost of a training on some tokens, instead of the usual lengths. */
    public RunResult withTokens(double tokens) {
        return training == null
                ? this
                : with(
                        facts,
                        training.with(TrainingCost.of(
                                tokens,
                                training.tokensPerSecondPerGpu() * gpus(),
                                nodes(),
                                facts.cluster().instance().price().usdPerHour())));
    }

    /** Returns this result with other facts. */
    public RunResult with(RunFacts otherFacts, @Nullable Training otherTraining) {
        return new RunResult(otherFacts, otherTraining, collective, network, rank0, remedy, effort, digest);
    }
}
