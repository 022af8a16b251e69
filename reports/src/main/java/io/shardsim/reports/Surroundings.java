package io.shardsim.reports;

import org.jspecify.annotations.Nullable;

/**
 * Surroundings of a training step: the storage of samples and checkpoints, and the startup of the job.
 *
 * @param input absent if samples are assumed to be available
 * @param checkpoint absent if none are written
 * @param startUp absent if not described
 * @param failures absent if none are expected
 */
public record Surroundings(
        @Nullable Input input,
        @Nullable Checkpoint checkpoint,
        @Nullable StartUp startUp,
        @Nullable Failures failures) {
    /** Creates surroundings without failures. */
    public Surroundings(@Nullable Input input, @Nullable Checkpoint checkpoint, @Nullable StartUp startUp) {
        this(input, checkpoint, startUp, null);
    }

    /**
     * Node failures.
     *
     * @param nodeMtbfSeconds mean time between failures of one node [s]
     * @param detectionSeconds time until a failure is detected [s]
     * @param restartSeconds time from then until the first step runs again [s]
     */
    public record Failures(double nodeMtbfSeconds, double detectionSeconds, double restartSeconds) {}

    /**
     * A storage service, from a job's view.
     *
     * @param name name in scenario files
     * @param nodeRate rate of one node [bytes/s]
     * @param sharedRate maximum rate of all nodes together; infinite if the service scales with its clients [bytes/s]
     */
    public record Storage(String name, double nodeRate, double sharedRate) {
        /** Returns the joint rate of a number of nodes [bytes/s]. */
        public double rate(double nodes) {
            return Math.min(nodes * nodeRate, sharedRate);
        }
    }

    /**
     * Stored samples.
     *
     * @param sampleBytes [bytes]
     */
    public record Input(Storage storage, long sampleBytes) {}

    /**
     * Parameter initialization.
     *
     * @param delayed whether parameters are initialized on the GPUs after sharding
     * @param hostSecondsPerParameter time in which one process initializes a parameter in host memory [s]
     */
    public record StartUp(boolean delayed, double hostSecondsPerParameter) {}

    /** The contents of a checkpoint file. */
    public enum State {
        /** Each rank of one replica writes its shard. */
        SHARDED,
        /** One rank gathers and writes everything. */
        FULL
    }

    /**
     * Checkpoints of parameters and optimizer states.
     *
     * @param everySteps training steps between two checkpoints
     * @param asynchronous whether training continues once the state has been copied to host memory
     * @param bytesPerParameter 14 in mixed precision: 2 for the parameter, 12 for Adam's weights and moments; 12 in FP32
     */
    public record Checkpoint(
            Storage storage, long everySteps, State state, boolean asynchronous, double bytesPerParameter) {
        /** Returns these checkpoints at another interval. */
        Checkpoint every(long steps) {
            return new Checkpoint(storage, steps, state, asynchronous, bytesPerParameter);
        }

        /** Returns these checkpoints made asynchronous or synchronous. */
        Checkpoint asynchronous(boolean goesOn) {
            return new Checkpoint(storage, everySteps, state, goesOn, bytesPerParameter);
        }
    }
}
