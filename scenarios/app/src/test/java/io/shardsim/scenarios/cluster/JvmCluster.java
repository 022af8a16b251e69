package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.cli.ShardsimCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Members and runs of a cluster, each in its own JVM, and the same run in this JVM for comparison. */
final class JvmCluster {
    private static final String SWEEP = """
            scenario: sweep
            model: {hidden: 1600, layers: 20, heads: 25, ffn: 6400, vocab: 50257}
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training: {sequence_length: 1024, global_batch: 64, micro_batch: 2, precision: fp16, activation_checkpointing: full}
            sweep:
              strategy.kind: [zero3, fsdp, mics]
              cluster.nodes: [2, 4]
              training.sequence_length: [512, 1024]
            """;
    private static final String SHORT = """
            scenario: short
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 32, micro_batch: 2, activation_checkpointing: full}
            strategy: {kind: mics, shard_group: 8}
            sweep: {training.micro_batch: [1, 2]}
            """;
    private static final String SPLIT = """
            scenario: split
            model: {hidden: 1600, layers: 4, heads: 25, ffn: 6400, vocab: 50257}
            cluster: {instance: p4d.24xlarge, nodes: 8}
            training: {sequence_length: 512, global_batch: 64, micro_batch: 1, precision: fp16, activation_checkpointing: full}
            strategy: {kind: zero3}
            """;
    /** Longer than the pauses of an overloaded machine. */
    private static final String PATIENCE = "patience {silence: 20s, removal: 8s, contact: 2s}\n";

    private final Path folder;

    private JvmCluster(Path folder, String settings) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("cluster.conf"), settings);
        Files.writeString(folder.resolve("sweep.yaml"), SWEEP);
        Files.writeString(folder.resolve("short.yaml"), SHORT);
        Files.writeString(folder.resolve("split.yaml"), SPLIT);
    }

    /**
     * Creates a cluster without members, with the usual timeouts.
     *
     * @param folder folder for scenarios and results
     */
    static JvmCluster plain(Path folder) throws IOException {
        return new JvmCluster(folder, "");
    }

    /** Creates a cluster that tolerates the pauses of a busy machine. */
    static JvmCluster patient(Path folder) throws IOException {
        return new JvmCluster(folder, PATIENCE);
    }

    /** Prints the members' logs when a test fails. */
    static TestWatcher logsOfFailures() {
        return new TestWatcher() {
            @Override
            public void testFailed(ExtensionContext context, Throwable cause) {
                System.out.println(context.getDisplayName() + " failed. The members said:\n" + Jvm.logs());
            }
        };
    }

    Jvm worker(String... arguments) throws IOException {
        return start(List.of("worker", "--port", "0", "--threads", "1"), arguments);
    }

    /**
     * Starts three members that know each other, the founder of the cluster first.
     *
     * @param ofTheFirst further options of the founder
     */
    List<Jvm> threeMembers(String... ofTheFirst) throws IOException {
        Jvm first = worker(together(List.of("--seed"), ofTheFirst));
        String seed = first.listening();
        List<Jvm> members = List.of(first, worker("--join", seed), worker("--join", seed));
        members.forEach(Jvm::listening);
        return members;
    }

    Jvm run(String contact, String... arguments) throws IOException {
        return start(List.of("run", "--json", "--out", "out", "--cluster", contact), arguments);
    }

    /** Returns the output of another command, run on the members if a contact is given. */
    String answer(@Nullable String contact, String... command) throws Exception {
        Jvm asked = start(List.of(command), contact == null ? new String[0] : new String[] {"--cluster", contact});
        assertThat(asked.awaitEnd()).as(asked.err()).isZero();
        return asked.out();
    }

    /** Runs it on a network of its own. */
    Jvm startIn(String namespace, String... arguments) throws IOException {
        return Jvm.start(
                List.of("ip", "netns", "exec", namespace),
                folder,
                Jvm.JAR,
                Map.of("SHARDSIM_CLUSTER_FILE", "cluster.conf"),
                arguments);
    }

    private Jvm start(List<String> first, String... more) throws IOException {
        return Jvm.start(folder, Jvm.JAR, Map.of("SHARDSIM_CLUSTER_FILE", "cluster.conf"), together(first, more));
    }

    /** Returns the result of the same run in this JVM, undisturbed. */
    String runHere(String file, String... arguments) {
        StringWriter out = new StringWriter();
        List<String> run = List.of(
                "run",
                "--json",
                "--out",
                folder.resolve("here").toString(),
                folder.resolve(file).toString());
        int status = ShardsimCommand.commandLine(Main.services())
                .setOut(new PrintWriter(out))
                .execute(together(run, arguments));
        assertThat(status).isZero();
        return withoutWallTimes(out.toString());
    }

    /** Removes wall times, and the version, which only a jar has: this JVM runs from class folders. */
    static String withoutWallTimes(String json) {
        return json.replaceAll("\"wall_seconds\" ?: ?[0-9.eE+-]+", "\"wall_seconds\": -")
                .replaceFirst("\"version\" ?: ?\"[^\"]*\"", "\"version\": -");
    }

    private static String[] together(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
