package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.cluster.ClusterFile;
import io.shardsim.scenarios.cluster.ClusterRunner;
import io.shardsim.scenarios.cluster.ClusterSettings;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The cluster that runs the points, and how. */
final class RunningCluster {
    /** Begins what a command says of its cluster. */
    static final String SAYS = "cluster: ";

    /** Points that a cluster is asked for at once; more than any has threads, few enough to be asked for again each second. */
    private static final int POINTS_ON_THEIR_WAY = 256;

    @Option(
            names = "--cluster",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Run the points on this cluster. Name any of its workers; several are tried in turn. See "
                    + "shardsim worker.")
    private List<String> members = List.of();

    @Option(
            names = "--split",
            description = "Split each run across the cluster members, a group of nodes each. Executes every event; "
                    + "does not change results.")
    private boolean split;

    @Option(
            names = "--restart",
            description = "With --split: if a member is lost, restart the run on the remaining ones.")
    private boolean restart;

    @Option(
            names = "--cluster-file",
            paramLabel = "FILE",
            description = "Cluster settings file: name, TLS and more. Default: SHARDSIM_CLUSTER_FILE.")
    private @Nullable String file;

    /** True when the points run in this JVM. */
    boolean isLocal() {
        return members.isEmpty();
    }

    /** Runs at once: what waits for a worker takes no core here. */
    int atOnce(int threads) {
        return isLocal() ? threads : POINTS_ON_THEIR_WAY;
    }

    /** Refuses options that need another one. */
    void check(CommandLine command) {
        if (split && isLocal()) {
            throw new ParameterException(
                    command, "--split needs --cluster HOST:PORT; one JVM splits a run by --threads");
        }
        if (restart && !split) {
            throw new ParameterException(command, "--restart needs --split");
        }
    }

    /** One of this JVM, or one that asks the members; what there is to say of these, the command says. */
    ScenarioRunner runner(RunnerFactory runners, Speaking command, RunOptions options) throws InterruptedException {
        if (isLocal()) {
            return runners.create(options);
        }
        ClusterRunner.Split how =
                !split ? ClusterRunner.Split.NO : restart ? ClusterRunner.Split.YES_AND_AGAIN : ClusterRunner.Split.YES;
        return ClusterRunner.join(
                settings(command.line(), file, members), options, how, text -> command.warn(SAYS + text));
    }

    /** Makes such runners for a command that asks again and again. */
    RunnerFactory runners(RunnerFactory own, Speaking command) {
        check(command.line());
        return options -> {
            try {
                return runner(own, command, options);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted before a worker answered", interrupted);
            }
        };
    }

    /** What a cluster file says; wrong usage where it cannot be read, or its certificates are of no use. */
    static ClusterSettings settings(CommandLine command, @Nullable String file, List<String> members) {
        try {
            return ClusterFile.settings(new ClusterFile.Flags(file, null, null, null, members, null), System.getenv());
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command, String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
