package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A JVM that runs the packaged tool, with its output in files. */
final class Jvm {
    /** The jar built by {@code mvn package}. */
    static final Path JAR = Path.of(System.getProperty("shardsim.jar")).toAbsolutePath();

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final List<Jvm> STARTED = new ArrayList<>();

    private final String name;
    private final Process process;
    private final Path out;
    private final Path err;

    private Jvm(String name, Process process, Path out, Path err) {
        this.name = name;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts the tool in a folder. */
    static Jvm start(Path folder, Path jar, Map<String, String> environment, String... arguments) throws IOException {
        return start(List.of(), folder, jar, environment, arguments);
    }

    /** @param within prefix of the command */
    static Jvm start(List<String> within, Path folder, Path jar, Map<String, String> environment, String... arguments)
            throws IOException {
        Path out = Files.createTempFile(folder, "jvm", ".out");
        Path err = Files.createTempFile(folder, "jvm", ".err");
        List<String> command = new ArrayList<>(within);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx768m",
                "-jar",
                jar.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SHARDSIM_"));
        builder.environment().putAll(environment);
        Jvm jvm = new Jvm(String.join(" ", arguments), builder.start(), out, err);
        STARTED.add(jvm);
        return jvm;
    }

    /** Returns the logs of all JVMs started so far, to find out why a test failed. */
    static String logs() {
        StringBuilder text = new StringBuilder();
        for (Jvm jvm : STARTED) {
            text.append(jvm.isAlive() ? "running" : "ended")
                    .append(": ")
                    .append(jvm.name)
                    .append('\n')
                    .append(jvm.err());
        }
        return text.toString();
    }

    /** Ends all started JVMs. */
    static void closeAll() throws InterruptedException {
        for (Jvm jvm : STARTED) {
            jvm.kill();
        }
        STARTED.clear();
    }

    /** Waits until a worker prints its address, in the first line of its output. */
    String listening() {
        Awaitility.await("worker to listen").atMost(PATIENCE).until(() -> !process.isAlive() || out().contains("\n"));
        Matcher line = Pattern.compile("listening (\\S+:\\d+)\n(?s:.*)").matcher(out());
        assertThat(line.matches())
                .as("first line of: %s%nlog: %s", out(), err())
                .isTrue();
        return line.group(1);
    }

    /** Waits until its log contains a text a number of times. */
    void awaitLog(String text, int times) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(err().split(Pattern.quote(text), -1).length - 1)
                        .as("\"%s\" in: %s", text, err())
                        .isGreaterThanOrEqualTo(times));
    }

    /** Waits likewise for a command, which may also end. */
    void awaitErr(String text) {
        Awaitility.await().atMost(PATIENCE).until(() -> !process.isAlive() || err().contains(text));
        assertThat(err()).contains(text);
    }

    int awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("ended; log: %s", err())
                .isTrue();
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** @param signal for example STOP */
    void signal(String signal) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** SIGTERM. */
    void end() {
        process.destroy();
    }

    String out() {
        return read(out);
    }

    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
