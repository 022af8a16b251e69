package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.pipeline.PipelineSchedule;
import io.shardsim.simulator.pipeline.PipelineSchedule.Pass;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Writer of one training step with pipeline parallelism.
 *
 * <p>The passes of all stages are written in one order: tick by tick, each stage does its next pass if its inputs were available before the tick. So
 * the plan repeats once the pipeline is full, which lets a simulation skip micro-batches. Ticks do not determine execution order: stages only wait
 * for each other's activations and gradients.
 *
 * <p>A stage receives when it is idle; sending does not block it. In 1f1b every cycle still pays for two transfers, since neighbouring stages
 * alternate.
 *
 * <p>Not modelled: a sender blocks until its peer receives.
 */
final class PipelineStep {
    private static final int NOT_YET = -1;

    private final TrainingJob job;
    private final StepWriter writer;
    private final int stages;
    private final int pieces;
    private final List<ReplicatedStep> steps = new ArrayList<>();
    private final List<List<Pass>> passes = new ArrayList<>();
    private final PipelineSchedule schedule;
    /** Operation after which a forward, or backward, is available to other stages, by model chunk and micro-batch. */
    private final int[][] forward;

    private final int[][] backward;
    private final int[] next;

    /** Forwards written for the first stage: state. */
    private int forwardsOfFirst;

    private final int[] backwardsOfPiece;

    PipelineStep(TrainingJob job, StepWriter writer, IntFunction<? extends ReplicatedStep> stepOfStage) {
        this.job = job;
        this.writer = writer;
        ModelParallel parallel = job.parallel();
        stages = parallel.stages();
        pieces = parallel.virtualStages();
        schedule = PipelineSchedules.all().named(parallel.pipeline().schedule());
        for (int stage = 0; stage < stages; stage++) {
            steps.add(stepOfStage.apply(stage));
            passes.add(schedule.passes(
                    stage, stages, job.accumulationSteps(), parallel.pipeline().chunks()));
        }
        forward = new int[pieces][job.accumulationSteps()];
        backward = new int[pieces][job.accumulationSteps()];
        for (int piece = 0; piece < pieces; piece++) {
            Arrays.fill(forward[piece], NOT_YET);
            Arrays.fill(backward[piece], NOT_YET);
        }
        next = new int[stages];
        backwardsOfPiece = new int[pieces];
    }

    void write() {
        for (int stage = 0; stage < stages; stage++) {
            writer.onStage(stage);
            steps.get(stage).holdStates();
        }
        boolean written = true;
        while (written) {
            written = tick();
        }
        for (int stage = 0; stage < stages; stage++) {
            if (next[stage] < passes.get(stage).size()) {
                throw new IllegalStateException(
                        "pipeline_schedule " + job.parallel().pipeline().schedule() + ": stage " + stage
                                + " waits for ever before its pass " + next[stage]);
            }
        }
        tieEmbeddings();
        ReplicatedStep.update(job, writer, steps);
    }

    /** Writes the next pass of every stage that is ready; returns false if none is. */
    private boolean tick() {
        List<Integer> ready = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            if (isReady(stage)) {
                ready.add(stage);
            }
        }
        if (!ready.isEmpty() && ready.get(0) == 0 && beginsPeriod()) {
            writer.beginMicroBatch();
        }
        ready.forEach(this::pass);
        return !ready.isEmpty();
    }

    private boolean isReady(int stage) {
        return next[stage] < passes.get(stage).size()
                && isReady(stage, following(stage, 0))
                && (!alternates(stage) || isReady(stage, following(stage, 1)));
    }

    private Pass following(int stage, int skipped) {
        return passes.get(stage).get(next[stage] + skipped);
    }

    /** Returns whether the next backward exchanges tokens with experts while the forward after it computes, and vice versa. */
    private boolean alternates(int stage) {
        return job.parallel().overlapsExperts()
                && next[stage] + 1 < passes.get(stage).size()
                && !following(stage, 0).forward()
                && following(stage, 1).forward();
    }

    private boolean isReady(int stage, Pass pass) {
        int piece = piece(stage, pass);
        if (pass.forward()) {
            return piece == 0 || forward[piece - 1][pass.microBatch()] != NOT_YET;
        }
        return pass.ofWeights()
                || forward[piece][pass.microBatch()] != NOT_YET
                        && (piece == pieces - 1 || backward[piece + 1][pass.microBatch()] != NOT_YET);
    }

    /** Returns whether the first stage starts a forward that the schedule repeats, or the final run of backwards. */
    private boolean beginsPeriod() {
        List<Pass> ofFirst = passes.get(0);
        int at = next[0] + (alternates(0) ? 1 : 0);
        if (ofFirst.get(at).forward()) {
            return forwardsOfFirst
                            % schedule.period(stages, job.parallel().pipeline().chunks())
                    == 0;
        }
        int before = at - (at > 0 && ofFirst.get(at - 1).ofWeights() ? 2 : 1);
        return !ofFirst.get(at).ofWeights()
                && before >= 0
                && !ofFirst.get(before).forward();
    }

    private int piece(int stage, Pass pass) {
        return pass.chunk() * stages + stage;
    }

    private void pass(int stage) {
        writer.onStage(stage);
        Pass pass = following(stage, 0);
        if (alternates(stage)) {
            Pass forth = following(stage, 1);
            Runnable back = () -> {
                receive(stage, pass);
                compute(stage, pass);
            };
            writer.alternate(() -> receive(stage, forth), back, () -> compute(stage, forth));
            next[stage] += 2;
            return;
        }
        next[stage]++;
        loadForNext(stage);
        receive(stage, pass);
        compute(stage, pass);
        loadForNext(stage);
    }

    private void compute(int stage, Pass pass) {
        int piece = piece(stage, pass);
        ReplicatedStep step = steps.get(stage);
        if (pass.forward()) {
            forwardsOfFirst += stage == 0 ? 1 : 0;
            step.forward(piece);
        } else if (pass.kind() == Pass.Kind.INPUT_GRADIENTS) {
            step.inputGradients(piece);
        } else {
            boolean last = ++backwardsOfPiece[piece] == job.accumulationSteps();
            step.backward(piece, last, pass.ofWeights());
        }
        if (!pass.ofWeights()) {
            (pass.forward() ? forward : backward)[piece][pass.microBatch()] = writer.result();
        }
    }

    /** Loads offloaded activations during the previous pass; activations of the same micro-batch only after its forward. */
    private void loadForNext(int stage) {
        if (next[stage] < passes.get(stage).size()) {
            Pass following = passes.get(stage).get(next[stage]);
            if (!following.forward()) {
                steps.get(stage).loadAhead(piece(stage, following));
            }
        }
    }

    private void receive(int stage, Pass pass) {
        int from = piece(stage, pass) + (pass.forward() ? -1 : 1);
        if (!pass.ofWeights() && from >= 0 && from < pieces) {
            writer.receive(
                    pass.forward(), from % stages, (pass.forward() ? forward : backward)[from][pass.microBatch()]);
        }
    }

    private void tieEmbeddings() {
        if (!job.model().usesEmbeddingTwice()) {
            return;
        }
        ReplicatedStep first = steps.get(0);
        ReplicatedStep last = steps.get(stages - 1);
        long elements = job.embeddingTensors().get(0).elements();
        int tied = writer.tieEmbeddings(first.gradientBytes() * elements, first.lastReduce, last.lastReduce);
        first.lastReduce = tied;
        last.lastReduce = tied;
    }
}
