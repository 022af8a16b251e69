package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Files and folders that {@code run} reads and writes. */
class CommandFilesTest extends WithoutSimulation {
    @Test
    void aScenarioOfTheLibraryRunsByItsName() {
        assertThat(shell.shardsim("run", "all-reduce-1gib", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
        assertThat(ran).extracting(ScenarioPoint::scenario).containsExactly("all-reduce-1gib");
        assertThat(shell.shardsim("run", "all-redcue-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().strip())
                .isEqualTo("all-redcue-1gib: no such file or library scenario; did you mean all-reduce-1gib?");
    }

    @Test
    void aScenarioIsReadFromStandardInput() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(COLLECTIVE.getBytes(StandardCharsets.UTF_8)));
            assertThat(shell.shardsim("run", "-", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
            System.setIn(new ByteArrayInputStream("scenario: x".getBytes(StandardCharsets.UTF_8)));
            assertThat(shell.shardsim("run", "-")).isEqualTo(ExitStatus.USAGE);
        } finally {
            System.setIn(before);
        }
        assertThat(ran).hasSize(3);
        assertThat(shell.err()).startsWith("standard input:1:1: scenario file has no cluster");
    }

    @Test
    void aClosedStandardInputIsTold() {
        System.setProperty("shardsim.stdin", "closed");
        try {
            assertThat(shell.shardsim("run", "-")).isEqualTo(ExitStatus.USAGE);
        } finally {
            System.clearProperty("shardsim.stdin");
        }
        assertThat(shell.err().strip())
                .isEqualTo("standard input: stdin is closed; name a file, or pipe a scenario in");
    }

    @Test
    void jsonNeedsNoFolderThatCanBeWritten() throws IOException {
        String file = file("a.yaml", COLLECTIVE);
        Path blocked = Files.writeString(folder.resolve("report"), "a file");
        assertThat(shell.shardsim("run", file, "--json", "--out", blocked.toString()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(ReportFolder.isWritable(blocked.toString(), List.of())).isFalse();
        assertThat(ReportFolder.isWritable(folder.resolve("other").toString(), List.of()))
                .isTrue();
    }

    @Test
    void figuresGoIntoAFolderOfTheirOwn() throws IOException {
        String figures = folder.resolve("figures").toString();
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", figures))
                .isZero();
        assertThat(Path.of(figures, "curve.svg")).exists();
        assertThat(shell.out()).contains("figures: 1 in " + figures);
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", file("taken", "")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("cannot be written; name another with --svg");
    }

    @Test
    void severalScenariosGetAFolderEach() throws IOException {
        String second = COLLECTIVE.replace("gather\n", "other\n");
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), file("b.yaml", second), "--out", outFolder()))
                .isZero();
        assertThat(Path.of(outFolder(), "gather", "report.txt")).exists();
        assertThat(Path.of(outFolder(), "other", "report.txt")).exists();
    }

    @Test
    void scenariosOfTheSameNameAreRefused() throws IOException {
        String a = file("a.yaml", COLLECTIVE);
        String b = file("b.yaml", COLLECTIVE);
        assertThat(shell.shardsim("run", a, b, "--out", outFolder())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().strip())
                .isEqualTo(b + ":1:1: scenario gather is also defined in " + a
                        + "; rename one, or their reports overwrite each other");
        assertThat(created).isEmpty();
    }

    @Test
    void problemsOfAllFilesAreToldAndNothingIsRun() throws IOException {
        String bad = file("bad.yaml", COLLECTIVE.replace("2, 4, 8", "0"));
        assertThat(shell.shardsim("run", bad, folder.resolve("missing.yaml").toString(), file("ok.yaml", COLLECTIVE)))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines())
                .containsExactly(
                        bad + ":4:25: nodes 0 < 1; write a whole number from 1 to 65536",
                        folder.resolve("missing.yaml") + ":1:1: no such file; check the path");
        assertThat(created).isEmpty();
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void aGigabyteIsRefusedWithoutBeingRead() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (var file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 30);
        }
        ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        long before = cpu.getCurrentThreadCpuTime();
        assertThat(shell.shardsim("run", huge.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(cpu.getCurrentThreadCpuTime() - before).isLessThan(5_000_000_000L);
        assertThat(shell.err().strip())
                .isEqualTo(huge + ":1:1: is larger than 1048576 bytes, the limit; split it into several files");
    }

    @Test
    void filesThatAreNoTextAreRefused() throws IOException {
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThat(shell.shardsim("run", binary.toString(), folder.toString(), "a\0b"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("binary.yaml:1:1: is not UTF-8 text; save it as UTF-8")
                .contains(folder + ":1:1: is a directory; name a YAML file")
                .doesNotContain("Exception");
    }

    @Test
    void aFullDiskIsToldWithThePlaceAndTheWayOut() throws IOException {
        String report = Path.of(outFolder(), "report.txt").toString();
        writing = () -> {
            throw new FileSystemException(report, null, "No space left on device");
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().strip())
                .isEqualTo("shardsim run: cannot write " + report
                        + ": No space left on device; free space, then run again with --resume");
        assertThat(shell.out()).as("printed before files are written").startsWith("{");
    }

    @Test
    void aSinglePointIsNotKept() throws IOException {
        writing = () -> {
            throw new FileSystemException("o", null, "No space left on device");
        };
        String single = COLLECTIVE.replaceFirst("sweep: .*", "");
        assertThat(shell.shardsim("run", file("a.yaml", single), "--out", outFolder()))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().strip())
                .isEqualTo("shardsim run: cannot write o: No space left on device; free space, then run again");
    }

    @Test
    void aHeapThatIsFullWhenTheReportIsWrittenSaysHowToGoOn() throws IOException {
        writing = () -> {
            throw new OutOfMemoryError("Java heap space");
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().strip())
                .matches("shardsim run: cannot write the report: the simulator itself ran out of memory; give the "
                        + "JVM more memory, for example SHARDSIM_JAVA_OPTS=-Xmx\\d+g, and run again "
                        + "with --resume");
    }

    @Test
    void aSweepThatLostItsReportGoesOnFromThePointsThatWereDone() throws IOException {
        writing = () -> {
            throw new IOException("No space left on device");
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(ran).hasSize(3);
        writing = () -> {};
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--resume"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).as("kept").hasSize(3);
        assertThat(shell.err()).contains("resumed: 3 runs reused");
        assertThat(Path.of(outFolder(), ".points")).doesNotExist();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldBeforeAnythingRuns() throws IOException {
        String blocked = file("blocked", "a file");
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", blocked))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .startsWith("shardsim run: the folder " + blocked + " cannot be written; name another with --out");
        assertThat(created).isEmpty();
    }

    @Test
    void aFolderInThePlaceOfAFileOfTheReportIsToldBeforeAnythingRuns() throws IOException {
        Path blocked = Files.createDirectories(Path.of(outFolder(), "report.txt"));
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .startsWith("shardsim run: " + blocked + " is a folder, but the report writes a file there; move "
                        + "it, or name another folder with --out");
        assertThat(created).isEmpty();
    }

    @Test
    void aFolderThatOnlyLooksWritableIsToldBeforeAnythingRuns() throws IOException {
        Assumptions.assumeTrue(Files.isWritable(Path.of("/sys")), "root on Linux");
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", "/sys"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).startsWith("shardsim run: the folder /sys cannot be written");
        assertThat(created).isEmpty();
    }

    @Test
    void lookingAtAFolderLeavesNothingInIt() throws IOException {
        assertThat(ReportFolder.isWritable(outFolder(), List.of())).isTrue();
        assertThat(Path.of(outFolder())).isEmptyDirectory();
    }
}
