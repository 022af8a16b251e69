package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.TooLargeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What {@code run} makes of its options and of what comes of the points. */
class RunCommandTest extends WithoutSimulation {
    @Test
    void everyPointIsRunAndReportedInTheOrderOfTheFile() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "2"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).hasSize(3);
        assertThat(created).containsExactly(new RunOptions(2, true));
        assertThat(Path.of(outFolder(), "report.txt"))
                .hasContent("{cluster.nodes=2}\n{cluster.nodes=4}\n{cluster.nodes=8}");
        assertThat(shell.out()).contains("answer of gather").contains("report: " + Path.of(outFolder(), "report.txt"));
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void threadsThatHaveNoPointOfTheirOwnShareOne() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "7"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(created).as("three points").containsExactly(new RunOptions(7, 2, true, RunOptions.TooLarge.REFUSED));
    }

    @Test
    void jsonIsAllThatStandardOutputGets() throws IOException {
        assertThat(shell.shardsim(
                        "run", "--json", "--no-fast-forward", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isZero();
        assertThat(shell.out()).isEqualTo("{gather}\n");
        assertThat(created.get(0).fastForward()).isFalse();
    }

    @Test
    void setReplacesAValueEndsItsSweepOrBeginsOne() throws IOException {
        String file = file("a.yaml", COLLECTIVE);
        shell.shardsim(
                "run", file, "-o", outFolder(), "--set", "cluster.nodes=16", "--set", "workload.size=[1 MiB, 2 MiB]");
        assertThat(ran)
                .extracting(point -> point.cluster().nodes() + " " + ((Task.Collective) point.task()).totalBytes())
                .containsExactlyInAnyOrder("16 1048576", "16 2097152");
        assertThat(ran.get(0).values()).containsOnlyKeys("workload.size");
        ran.clear();
        shell.shardsim("run", file, "-o", outFolder(), "--set", "cluster.nodes=[2, 16]");
        assertThat(ran).extracting(point -> point.cluster().nodes()).containsExactlyInAnyOrder(2, 16);
    }

    @Test
    void setGoesIntoTheBlocksOfASweep() throws IOException {
        answer = WithoutSimulation::tooLarge;
        String swept = TRAINING.replace("strategy: {kind: fsdp}", "sweep: {strategy: [{kind: fsdp}, {kind: zero3}]}");
        shell.shardsim("run", file("a.yaml", swept), "-o", outFolder(), "--set", "strategy.prefetch_bucket_size=0");
        assertThat(ran).hasSize(2);
        assertThat(ran)
                .filteredOn(point ->
                        ((Task.Training) point.task()).strategy().kind().equals("zero3"))
                .allSatisfy(point -> assertThat(
                                ((Task.Training) point.task()).strategy().given())
                        .containsEntry("prefetch_bucket_size", "0"));
    }

    @Test
    void whatTheScenarioAssertsHolds() throws IOException {
        String file = file("a.yaml", COLLECTIVE + "assert: {each: [fits, collective_seconds <= 1 us, gpus >= 16]}\n");
        assertThat(shell.shardsim("run", file, "-o", outFolder())).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("assert: 9 of 9 hold");
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void whatTheScenarioAssertsDoesNotHold() throws Exception {
        String file = file("a.yaml", COLLECTIVE + "assert: {each: [gpus < 17, collective_seconds == 0.001 ms]}\n");
        String junit = folder.resolve("junit.xml").toString();
        assertThat(shell.shardsim("run", file, "-o", outFolder(), "--strict", "--junit", junit))
                .as("strict says less")
                .isEqualTo(ExitStatus.ASSERTION);
        assertThat(shell.out()).contains("assert: 4 of 6 hold");
        assertThat(shell.err().lines())
                .containsExactly(
                        "assert: gpus < 17 does not hold: 32, all_gather, ring, 32 GPUs",
                        "assert: gpus < 17 does not hold: 64, all_gather, ring, 64 GPUs");
        NodeList suites = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(junit)
                .getElementsByTagName("testsuite");
        assertThat(suites.getLength()).isEqualTo(1);
        Element suite = (Element) suites.item(0);
        assertThat(List.of("name", "tests", "failures", "errors"))
                .extracting(suite::getAttribute)
                .containsExactly("gather", "6", "2", "0");
        assertThat(((Element) suite.getElementsByTagName("testcase").item(1)).getAttribute("name"))
                .isEqualTo("gpus < 17, all_gather, ring, 32 GPUs");
        assertThat(suite.getElementsByTagName("failure").getLength()).isEqualTo(2);
    }

    @Test
    void ofWhatDoesNotFitNoFigureIsAsserted() throws IOException {
        answer = WithoutSimulation::tooLarge;
        String file = file("a.yaml", TRAINING + "assert: {fastest: usd <= 700k, each: fits}\n");
        assertThat(shell.shardsim("run", file, "-o", outFolder())).isEqualTo(ExitStatus.ASSERTION);
        assertThat(shell.err())
                .contains("assert: usd <= 700k does not hold: nothing fits in memory, fastest")
                .contains("assert: fits does not hold: does not fit in memory, FSDP, 8 GPUs");
    }

    @Test
    void junitNeedsSomethingThatIsAsserted() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--junit", "x.xml"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("no scenario has assertions; add for example assert: {each: fits}");
        String guarded = file("a.yaml", COLLECTIVE + "assert: {each: fits}\n");
        assertThat(shell.shardsim("run", guarded, "--junit", folder + "/none/x.xml"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("/none/x.xml cannot be written; name a file in a folder that can");
        assertThat(ran).isEmpty();
    }

    @Test
    void quietPrintsNothing() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "-o", outFolder(), "-q"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).isEmpty();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void aFailedSimulationIsToldWithoutAStackTraceAndLeavesTheOtherPoints() throws IOException {
        answer = point -> {
            if (point.cluster().nodes() == 2) {
                throw new IllegalStateException("Node[3].Nic[2]: completed chunk 17 while chunk 16 is on the wire");
            }
            return finished(point);
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().strip())
                .isEqualTo(
                        "simulation failed: gather {cluster.nodes=2}: Node[3].Nic[2]: completed chunk 17 while chunk 16 is on the wire");
        assertThat(Path.of(outFolder(), "report.txt")).hasContent("{cluster.nodes=4}\n{cluster.nodes=8}");
    }

    @Test
    void aFailureAmongTheSettingsThatAreTriedIsOneOfTheRun() throws IOException {
        answer = point -> {
            if (ran.size() > 1) {
                throw new IllegalStateException("left the cluster");
            }
            return simulated(point);
        };
        assertThat(shell.shardsim("run", file("a.yaml", Shell.SMALL), "--out", outFolder(), "--threads", "1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(ran).hasSizeGreaterThan(1);
        assertThat(shell.err()).startsWith("simulation failed: small").contains(": left the cluster");
        assertThat(shell.out()).contains("answer of small");
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void theAnswerIsPrintedBeforeAnythingElseIsTried() throws IOException {
        List<String> printed = new ArrayList<>();
        answer = point -> {
            printed.add(shell.out());
            return simulated(point);
        };
        String file = file("a.yaml", Shell.SMALL);
        assertThat(shell.shardsim("run", file, "--out", outFolder(), "--threads", "1"))
                .isZero();
        assertThat(printed).hasSizeGreaterThan(1);
        assertThat(printed.get(0)).isEmpty();
        assertThat(printed.get(1)).startsWith("answer of small").doesNotContain("trials of small");
        assertThat(shell.out()).contains("trials of small").endsWith("report.txt\n");
    }

    @Test
    void howMuchIsTriedIsTheUsersChoice() throws IOException {
        answer = RunCommandTest::simulated;
        String file = file("a.yaml", Shell.SMALL);
        List<Integer> runs = new ArrayList<>();
        for (List<String> more : List.of(
                List.of("--no-trials"), List.of("--trials", "none"), List.<String>of(), List.of("--trials", "all"))) {
            ran.clear();
            List<String> arguments = new ArrayList<>(List.of("run", file, "--out", outFolder()));
            arguments.addAll(more);
            assertThat(shell.shardsim(arguments.toArray(String[]::new))).isZero();
            runs.add(ran.size());
        }
        assertThat(runs.subList(0, 2)).containsExactly(1, 1);
        assertThat(runs.get(2)).isBetween(2, runs.get(3));
        assertThat(shell.shardsim("run", file, "--trials", "some")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--trials some must be all or none");
        assertThat(shell.shardsim("run", file, "--trials", "all", "--no-trials"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--trials all contradicts --no-trials");
    }

    @Test
    void aTrialWithoutMemoryEndsTheTrialsAlone() throws IOException {
        answer = point -> {
            if (ran.size() > 1) {
                throw new IllegalStateException("GC overhead limit exceeded", new OutOfMemoryError());
            }
            return simulated(point);
        };
        assertThat(shell.shardsim("run", file("a.yaml", Shell.SMALL), "--out", outFolder(), "--threads", "1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(ran).as("the point and one trial").hasSize(2);
        assertThat(shell.err().strip())
                .matches("not every other setting was tried: the simulator itself ran out of memory; give the "
                        + "JVM more memory, for example SHARDSIM_JAVA_OPTS=-Xmx\\d+g");
        assertThat(shell.out()).contains("answer of small");
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    private static RunResult simulated(ScenarioPoint point) {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(point);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @Test
    void aReportThatAnotherRunWroteMeanwhileIsNotReplacedSilently() throws IOException {
        Path report = Path.of(outFolder());
        answer = point -> {
            try {
                Files.createDirectories(report);
                Files.writeString(report.resolve("report.txt"), "of another run");
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
            return finished(point);
        };
        String scenario = file("a.yaml", COLLECTIVE);
        assertThat(shell.shardsim("run", scenario, "--out", report.toString())).isZero();
        assertThat(shell.err()).contains("another run also wrote its report to " + report + " in the meantime");
        answer = WithoutSimulation::finished;
        assertThat(shell.shardsim("run", scenario, "--out", report.toString())).isZero();
        assertThat(shell.err()).as("both runs").containsOnlyOnce("another run");
    }

    @Test
    void aSimulatorWithoutMemorySaysWhatToDo() throws IOException {
        answer = point -> {
            OutOfMemoryError full = new OutOfMemoryError("GC overhead limit exceeded");
            if (point.cluster().nodes() == 2) {
                throw full;
            }
            throw new IllegalStateException(full.getMessage(), full);
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json", "--threads", "2"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().lines())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line)
                        .matches("simulation failed: gather \\{cluster.nodes=\\d}: the simulator itself ran out "
                                + "of memory; give the JVM more memory, for example "
                                + "SHARDSIM_JAVA_OPTS=-Xmx\\d+g, or run fewer points at once with "
                                + "--threads 1"));
    }

    @Test
    void timesBeyondWhatCanBeCountedSaySo() throws IOException {
        answer = point -> {
            throw TooLargeException.ofTime();
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("a.yaml:3:", "13 days of virtual time (2^60 ps)", "write smaller sizes");
    }

    @Test
    void whatDoesNotFitSaysByHowMuchAndWhatDoes() throws IOException {
        answer = WithoutSimulation::tooLarge;
        assertThat(shell.shardsim("run", file("a.yaml", TRAINING), "--out", outFolder(), "--quiet"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err().strip())
                .isEqualTo(
                        "train does not fit in memory: FSDP on 8 GPUs: 50.0 of 40.0 GiB per GPU, 10.0 GiB too much; 2 nodes fit");
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }
}
