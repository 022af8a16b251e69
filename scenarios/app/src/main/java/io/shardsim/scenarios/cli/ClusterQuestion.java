package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import picocli.CommandLine.Mixin;

/** Options of a question whose runs can be sent to the workers of a cluster. */
final class ClusterQuestion extends Question {
    @Mixin
    private final RunningCluster cluster = new RunningCluster();

    @Override
    int threads() {
        return cluster.atOnce(super.threads());
    }

    /** Runners in this JVM, or on the workers. */
    RunnerFactory runners(RunnerFactory own, Speaking command) {
        return cluster.runners(own, command);
    }

    boolean isLocal() {
        return cluster.isLocal();
    }
}
