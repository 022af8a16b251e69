package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.cluster.ClusterFile;
import io.shardsim.scenarios.cluster.ClusterSettings;
import io.shardsim.scenarios.cluster.Worker;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code worker}: a cluster member that runs points. */
@Command(
        name = "worker",
        description = "Starts a cluster member, which runs points for commands with `--cluster` until interrupted. "
                + "Prints its address once it has joined.",
        footer = {
            "",
            "Joins via --join, else SHARDSIM_SEEDS, else the seeds in the cluster file. If the first of these is "
                    + "this member itself and no other answers, it starts the cluster."
        })
final class WorkerCommand extends Speaking {
    private final RunnerFactory runners;

    @Option(names = "--seed", description = "Start a new cluster with this member.")
    private boolean seed;

    @Option(
            names = "--join",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Members to contact for joining; pod-{0..2}.name:PORT names three.")
    private List<String> join = List.of();

    @Option(names = "--port", paramLabel = "N", description = "Port to listen on; 0 picks a free one. Default: 17355.")
    private @Nullable Integer port;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent points. Default: the number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--metrics-port",
            paramLabel = "N",
            description = "Serve Prometheus metrics on this loopback port; 0 picks a free one. Default: off.")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--without-tls",
            description = "Listen beyond this machine without TLS, although anyone who reaches the port can join.")
    private boolean withoutTls;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description =
                    "Name or address at which other workers reach this one. Default: SHARDSIM_HOST, or 127.0.0.1.")
    private @Nullable String host;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "Address to listen on. Default: SHARDSIM_BIND, or that of --host.")
    private @Nullable String bind;

    @Option(
            names = "--cluster-file",
            paramLabel = "FILE",
            description = "Cluster settings file: name, seeds, TLS and more. Default: SHARDSIM_CLUSTER_FILE.")
    private @Nullable String file;

    WorkerCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InterruptedException {
        ClusterSettings settings = settings();
        if (!seed && settings.seeds().isEmpty()) {
            throw refused("no member to join; start a cluster with --seed, or name a member with --join HOST:PORT");
        }
        if (settings.tls() == null && !withoutTls && !settings.listensOnLoopback()) {
            throw refused("would listen on " + settings.bind() + " without TLS, so anyone who reaches the port can "
                    + "join; name certificates in --cluster-file (docs/cluster.md), or pass "
                    + "--without-tls");
        }
        String ended = new Worker(settings, threads, runners).run(seed, out());
        if (ended != null) {
            err().println("worker: " + ended);
            return ExitStatus.FAILED;
        }
        return ExitStatus.DONE;
    }

    private ClusterSettings settings() {
        try {
            return ClusterFile.settings(
                    new ClusterFile.Flags(file, host, bind, port, join, metricsPort), System.getenv());
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(line(), String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
