package io.shardsim.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs what a stranger would type. */
final class Commands {
    private Commands() {}

    /** Skips the test where a tool is missing; in CI it must be there. */
    static void need(boolean there, String what) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("CI has " + what).isTrue();
        }
        assumeTrue(there, "skipped: needs " + what);
    }

    static void needTool(String name) {
        boolean there = List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
        need(there, name);
    }

    /** What the command prints on standard output, if it ends well within so many seconds. */
    static String run(int seconds, Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("command", ".out");
        Path err = Files.createTempFile("command", ".err");
        try {
            Process process = start(folder, environment, command, out, err);
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            end(process);
            assertThat(ended && process.exitValue() == 0)
                    .as("%s%nstandard output:%n%s%nstandard error:%n%s", command, Files.readString(out), tail(err))
                    .isTrue();
            return Files.readString(out);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    static Process start(Path folder, Map<String, String> environment, List<String> command, Path out, Path err)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    static void end(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    private static String tail(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(Math.max(0, text.length() - 4000));
    }
}
