package io.shardsim.reports;

import org.jspecify.annotations.Nullable;

/**
 * What goes on around a training step: where samples come from, where checkpoints go, and how the job starts.
 *
 * @param input absent when samples are taken to be there
 * @param checkpoint absent when none are written
 * @param startUp absent when nothing is said of it
 * @param failures absent when none are expected
 */
public record Surroundings(
        @Nullable Input input,
        @Nullable Checkpoint checkpoint,
        @Nullable StartUp startUp,
        @Nullable Failures failures) {
    /** Without failures. */
    public Surroundings(@Nullable Input input, @Nullable Checkpoint checkpoint, @Nullable StartUp startUp) {
        this(input, checkpoint, startUp, null);
    }

    /**
     * How nodes fail.
     *
     * @param nodeMtbfSeconds mean time between failures of one node [s]
     * @param detectionSeconds until a failure is noticed [s]
     * @param restartSeconds from then until the first step runs again [s]
     */
    public record Failures(double nodeMtbfSeconds, double detectionSeconds, double restartSeconds) {}

    /**
     * A storage service as a job sees it.
     *
     * @param name as scenario files write it
     * @param nodeRate what one node reads or writes [bytes/s]
     * @param sharedRate what all nodes together do at most; infinite where the service grows with its clients [bytes/s]
     */
    public record Storage(String name, double nodeRate, double sharedRate) {
        /** What so many nodes do together [bytes/s]. */
        public double rate(double nodes) {
            return Math.min(nodes * nodeRate, sharedRate);
        }
    }

    /**
     * Samples as they are stored.
     *
     * @param sampleBytes [bytes]
     */
    public record Input(Storage storage, long sampleBytes) {}

    /**
     * How parameters get their first values.
     *
     * @param delayed whether they are drawn on the GPUs once the model is split
     * @param hostSecondsPerParameter in which one process draws one in host memory [s]
     */
    public record StartUp(boolean delayed, double hostSecondsPerParameter) {}

    /** What a checkpoint file holds. */
    public enum State {
        /** Each rank of one copy of the model states writes what it holds. */
        SHARDED,
        /** One rank gathers everything and writes it. */
        FULL
    }

    /**
     * Checkpoints of parameters and optimizer states.
     *
     * @param everySteps training steps between two of them
     * @param asynchronous whether training goes on once the state has been copied to host memory
     * @param bytesPerParameter 14 in mixed precision: 2 of the parameter, 12 of Adam's weights and moments; 12 in 32 bits
     */
    public record Checkpoint(
            Storage storage, long everySteps, State state, boolean asynchronous, double bytesPerParameter) {
        /** The same after other numbers of steps. */
        Checkpoint every(long steps) {
            return new Checkpoint(storage, steps, state, asynchronous, bytesPerParameter);
        }

        /** The same where training goes on meanwhile, or does not. */
        Checkpoint asynchronous(boolean goesOn) {
            return new Checkpoint(storage, everySteps, state, goesOn, bytesPerParameter);
        }
    }
}
