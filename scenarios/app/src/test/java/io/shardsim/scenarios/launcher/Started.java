package io.shardsim.scenarios.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command started by a test, with its output in files so that no full pipe can block it. */
record Started(Process process, Path out, Path err) {

    /** Outcome of a command. */
    record Outcome(int status, String out, String err) {}

    /** Starts a command in a folder; an empty value in {@code environment} removes the variable. */
    static Started start(Path folder, Map<String, String> environment, List<String> command) throws IOException {
        Path out = Files.createTempFile("started", ".out");
        Path err = Files.createTempFile("started", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        environment.forEach((name, value) -> {
            if (value.isEmpty()) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
        });
        return new Started(builder.start(), out, err);
    }

    Outcome await(int seconds) throws IOException, InterruptedException {
        boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(ended)
                .as("ended within %d s; standard error:%n%s", seconds, Files.readString(err))
                .isTrue();
        Outcome outcome = new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
        Files.delete(out);
        Files.delete(err);
        return outcome;
    }
}
