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
 * What one point of a scenario came to.
 *
 * @param facts the question
 * @param training figures of a training step; absent when the run did not fit or is a bare collective
 * @param collective figures of a bare collective; absent otherwise
 * @param network what the links carried
 * @param rank0 what rank 0 did
 * @param remedy the nearest thing that fits, in words; absent when the run fits
 * @param effort what it took to simulate
 * @param digest hash over all totals and times; absent when nothing ran
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

    /** Whether it is this very run. Another point of a sweep may come to equal figures, and to compare all of them would take long. */
    @SuppressWarnings("ReferenceEquality")
    public boolean is(@Nullable RunResult other) {
        return this == other;
    }

    /**
     * What the links carried.
     *
     * @param links one entry per link class that has ports; empty when nothing ran
     * @param nicBytesSent bytes that the NICs of all nodes sent [bytes]
     */
    public record Network(List<LinkUse> links, long nicBytesSent) {}

    /**
     * What rank 0 did.
     *
     * @param timeline its operations in order of their start
     * @param memory who holds its memory in the course of the step; absent for a bare collective, and when nothing ran
     */
    public record Rank0(
            List<OperationSpan> timeline, @Nullable MemoryOverTime memory) {}

    /**
     * What it took to simulate.
     *
     * @param executedEvents events executed one by one
     * @param simulatedEvents events that these stand for
     * @param pendingEventsMax most events that waited at once
     * @param wallSeconds host time; differs from run to run [s]
     */
    public record Effort(long executedEvents, long simulatedEvents, long pendingEventsMax, double wallSeconds) {}

    /** How a run ended. */
    public enum Status {
        OK("ok"),
        OUT_OF_MEMORY("out_of_memory");

        private final String id;

        Status(String id) {
            this.id = id;
        }

        /** As results.json writes it. */
        public String id() {
            return id;
        }
    }

    /**
     * Figures of a training step.
     *
     * @param computeBusy share of the step that the compute stream worked, mean over ranks, 0 to 1
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
        /** One optimizer update [s]. */
        public double stepSeconds() {
            return breakdown.stepSeconds();
        }

        /** The longest training, or the one that was asked for. */
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

    /** The meaning of an observation. */
    public static RunResult of(RunFacts facts, StepObservation observation, double wallSeconds) {
        return of(facts, observation, null, wallSeconds);
    }

    /** The meaning of an observation, and what the run held in memory meanwhile. */
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
     * A point that was not run because it does not fit.
     *
     * @param remedy the nearest thing that fits, in words
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

    /** Figures of a training step; an error where none ran. */
    public Training step() {
        return Objects.requireNonNull(training, "no training step ran");
    }

    /** What a step takes on average, outages as rare as they are [s]. */
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

    /** How it scales; null outside a sweep, where no training step ran, and where its series has no base. */
    public @Nullable ScalingEfficiency scaling() {
        return training == null ? null : training.scaling();
    }

    /** Whether its memory comes so near to the GPU's that the model cannot say for certain whether it fits. */
    public boolean isAtEdge() {
        return facts.messages().stream().anyMatch(message -> message.code() == MessageCode.MEMORY_EDGE);
    }

    /** Whether it trains and fits without fragmentation only. */
    public boolean isTight() {
        return facts.memory() != null && facts.memory().fit().isTight();
    }

    /** Tokens that the cluster trains on in a second, stalls, pauses and failures counted; 0 where no training step ran [1/s]. */
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
     * What a training of the length that was asked for takes; null where no training step ran. Stalls for input, pauses for checkpoints, and failures count where the
     * scenario has them.
     */
    public @Nullable TrainingCost cost() {
        if (training == null) {
            return null;
        }
        AroundTheStep around = AroundTheStep.of(this);
        return around == null ? training.cost() : around.expected();
    }

    /** The strategy in words, or the collective where there is no strategy. */
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

    /** The same with what runs with other settings came to. */
    public RunResult withTried(RunFacts.Tried tried) {
        return with(facts.withTried(tried), training);
    }

    /** The same with what its faults cost. */
    public RunResult withRadius(BlastRadius radius) {
        return withTried(facts.tried().with(radius, facts.path()));
    }

    /** The same with what each second of it waited for. */
    public RunResult withPath(CriticalParts path) {
        return withTried(facts.tried().with(facts.radius(), path));
    }

    /** The same with what each of its differences from the fastest run of its kind costs. */
    public RunResult withCauses(Map<String, Long> causesPs) {
        return withTried(facts.tried().withCauses(causesPs));
    }

    /** The same with what a training on some tokens takes, in place of the lengths that are quoted otherwise. */
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

    /** The same outcome of other facts. */
    public RunResult with(RunFacts otherFacts, @Nullable Training otherTraining) {
        return new RunResult(otherFacts, otherTraining, collective, network, rank0, remedy, effort, digest);
    }
}
