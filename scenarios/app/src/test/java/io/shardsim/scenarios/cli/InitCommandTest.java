package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InitCommandTest extends WithoutSimulation {
    private final InputStream before = System.in;
    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("mine.yaml");
    }

    @AfterEach
    void restore() {
        System.setIn(before);
    }

    private int answering(String answers) {
        System.setIn(new ByteArrayInputStream(answers.getBytes(StandardCharsets.UTF_8)));
        return shell.shardsim("init", file.toString());
    }

    private ScenarioPoint written() throws InputException {
        return ScenarioReader.read(file.toString()).points().get(0);
    }

    @Test
    void emptyAnswersTakeTheUsual() throws InputException {
        assertThat(answering("\n\n")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).isEqualTo("wrote " + file + "; run it: shardsim run " + file + "\n");
        assertThat(written().given())
                .containsEntry("model", "llama3-8b")
                .containsEntry("cluster.instance", "p5.48xlarge")
                .containsEntry("cluster.nodes", 2L)
                .containsEntry("training.global_batch", 128L);
    }

    @Test
    void whatIsNotKnownIsAskedAgain() throws InputException {
        assertThat(answering("gpt2-30\ngpt2-1.5b\np4d.24xlarge\nmany\n4\nzero3\n"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.err())
                .contains("gpt2-30 is not known; did you mean gpt2-30b?")
                .contains("many is not a whole number of at least 1; write for example 2");
        Task.Training training = (Task.Training) written().task();
        assertThat(training.sequenceLength())
                .as("as many as the model has positions")
                .isEqualTo(1024);
        assertThat(training.globalBatch()).isEqualTo(256);
        assertThat(training.strategy().kind()).isEqualTo("zero3");
    }

    @Test
    void whatCannotBeReadIsNotWritten() {
        assertThat(answering("\n\n99999999\n\n")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("nodes 99999999 > ");
        assertThat(file).doesNotExist();
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Files.writeString(file, "mine");
        assertThat(answering("")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains(file + " is there already; name another file");
        assertThat(file).hasContent("mine");
    }

    @Test
    void theBrowserIsAskedForWhereSomebodySeesIt() {
        assertThat(WebBrowser.command("Linux", Map.of())).isNull();
        assertThat(WebBrowser.command("Linux", Map.of("DISPLAY", ":0"))).isEqualTo(List.of("xdg-open"));
        assertThat(WebBrowser.command("Mac OS X", Map.of())).isEqualTo(List.of("open"));
        assertThat(WebBrowser.command("Windows 11", Map.of())).hasSize(2);
    }
}
