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

/** Options for the cluster that runs the points. */
final class RunningCluster {
    /** Prefix of messages about the cluster. */
    static final String SAYS = "cluster: ";

    /** Points in flight on a cluster: more than any cluster has threads, but few enough to ask for again every second. */
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

    /** Whether the points run in this JVM. */
    boolean isLocal() {
        return members.isEmpty();
    }

    /** Number of concurrent runs; runs that wait for a worker use no core here. */
    int atOnce(int threads) {
        return isLocal() ? threads : POINTS_ON_THEIR_WAY;
    }

    /** Rejects options without the option they need. */
    void check(CommandLine command) {
        if (split && isLocal()) {
            throw new ParameterException(
                    command, "--split needs --cluster HOST:PORT; one JVM splits a run by --threads");
        }
        if (restart && !split) {
            throw new ParameterException(command, "--restart needs --split");
        }
    }

    /** A runner in this JVM, or one that sends points to the members, whose messages the command prints. */
    ScenarioRunner runner(RunnerFactory runners, Speaking command, RunOptions options) throws InterruptedException {
        if (isLocal()) {
            return runners.create(options);
        }
        ClusterRunner.Split how =
                !split ? ClusterRunner.Split.NO : restart ? ClusterRunner.Split.YES_AND_AGAIN : ClusterRunner.Split.YES;
        return ClusterRunner.join(
                settings(command.line(), file, members), options, how, text -> command.warn(SAYS + text));
    }

    /** A factory of such runners, for commands with several rounds of runs. */
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

    /** Reads a cluster file; wrong usage if it, or a certificate it names, is invalid. */
    static ClusterSettings settings(CommandLine command, @Nullable String file, List<String> members) {
        try {
            return ClusterFile.settings(new ClusterFile.Flags(file, null, null, null, members, null), System.getenv());
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command, String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
