package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code exercise} as a student tries it. */
class ExerciseCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private String handedOut(String number) throws IOException {
        Shell show = new Shell(Main.services());
        assertThat(show.shardsim("exercise", "show", number)).isZero();
        Path file = folder.resolve("mine.yaml");
        Files.writeString(file, show.out());
        return file.toString();
    }

    @Test
    void listsThem() {
        assertThat(shell.shardsim("exercise")).isZero();
        assertThat(shell.out()).contains("9  Recompute what is worth it\n").contains("exercise show NN");
    }

    @Test
    void aGoalThatDoesNotHoldGivesOneHintAndThenMore() throws IOException {
        String file = handedOut("9");
        assertThat(shell.shardsim("exercise", "check", "9", file)).isEqualTo(ExitStatus.ASSERTION);
        assertThat(shell.out())
                .contains("samples_per_second >= 160 does not hold", "1 of 2 goals hold.", "Hint 1 of 3")
                .contains("--hints 2 shows the next one.")
                .doesNotContain("Hint 2");
        Shell more = new Shell(Main.services());
        assertThat(more.shardsim("exercise", "check", "9", file, "--hints", "9"))
                .isEqualTo(ExitStatus.ASSERTION);
        assertThat(more.out()).contains("Hint 3 of 3").doesNotContain("shows the next one");
    }

    @Test
    void aSolutionHolds() throws IOException {
        String file = handedOut("9");
        Path solution = Path.of(file);
        Files.writeString(
                solution,
                Files.readString(solution)
                        .replace("checkpointing: full", "checkpointing: selective")
                        .replace("samples_per_second >= 160", "samples_per_second >= 1"));
        assertThat(shell.shardsim("exercise", "check", "9", file))
                .as(shell.err())
                .isZero();
        assertThat(shell.out()).contains("samples_per_second >= 160 holds", "2 of 2 goals hold.");
    }

    @Test
    void otherChangesUnknownNumbersAndMissingFilesAreRefused() throws IOException {
        String file = handedOut("9");
        Path solution = Path.of(file);
        Files.writeString(solution, Files.readString(solution).replace("nodes: 8", "nodes: 16"));
        assertThat(shell.shardsim("exercise", "check", "9", file)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("cluster.nodes is 16, and 8 in the exercise; restore it");
        assertThat(new Shell(Main.services()).shardsim("exercise", "check", "2", file))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(new Shell(Main.services()).shardsim("exercise", "check", "9"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(new Shell(Main.services()).shardsim("exercise", "chek")).isEqualTo(ExitStatus.USAGE);
        assertThat(new Shell(Main.services()).shardsim("exercise", "check", "9", folder + "/no.yaml"))
                .isEqualTo(ExitStatus.USAGE);
    }
}
