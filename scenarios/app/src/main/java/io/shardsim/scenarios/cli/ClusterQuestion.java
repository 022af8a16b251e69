package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import picocli.CommandLine.Mixin;

/** Options of a question whose further runs the workers of a cluster can take. */
final class ClusterQuestion extends Question {
    @Mixin
    private final RunningCluster cluster = new RunningCluster();

    @Override
    int threads() {
        return cluster.atOnce(super.threads());
    }

    /** Runners of this JVM, or of the workers. */
    RunnerFactory runners(RunnerFactory own, Speaking command) {
        return cluster.runners(own, command);
    }

    boolean isLocal() {
        return cluster.isLocal();
    }
}
