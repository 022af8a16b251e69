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

/** Members and runs of a cluster, each in a JVM of its own, and the same run in this JVM to compare with. */
final class JvmCluster {
    private final Path folder;

    /**
     * A cluster without members yet.
     *
     * @param folder where scenarios lie and results go
     * @param settings of its cluster file
     */
    JvmCluster(Path folder, String settings) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("cluster.conf"), settings);
    }

    Jvm worker(String... arguments) throws IOException {
        return start(List.of("worker", "--port", "0", "--threads", "1"), arguments);
    }

    Jvm run(String contact, String... arguments) throws IOException {
        return start(List.of("run", "--json", "--out", "out", "--cluster", contact), arguments);
    }

    private Jvm start(List<String> first, String... more) throws IOException {
        return Jvm.start(folder, Jvm.JAR, Map.of("SHARDSIM_CLUSTER_FILE", "cluster.conf"), together(first, more));
    }

    /** The same in this JVM, undisturbed. */
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

    /** Without wall times, and without the version, which only a jar knows: this JVM runs from class folders. */
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
