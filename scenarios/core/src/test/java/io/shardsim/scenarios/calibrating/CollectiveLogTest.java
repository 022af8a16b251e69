package io.shardsim.scenarios.calibrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CollectiveLogTest {
    private static final Set<String> SIMULATED =
            Set.of("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv");

    private static final String HEADING =
            "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";

    private static List<CollectiveTest> read(String text) throws InputException {
        return CollectiveLog.read("a.log", text, null, 0);
    }

    static Stream<PrintedLogs.Public> simulated() {
        return PrintedLogs.all().stream().filter(log -> SIMULATED.contains(log.collective()) && log.gpus() > 0);
    }

    @Test
    void thereAreManyPublicLogs() {
        assertThat(simulated().count()).isGreaterThanOrEqualTo(20);
        assertThat(simulated().map(log -> log.row().getField("prefix")).collect(Collectors.toSet()))
                .contains("", "0:", "[1,0]<stdout>:");
    }

    @ParameterizedTest
    @MethodSource("simulated")
    void aPublicLogGivesTheFiguresThatAReaderSees(PrintedLogs.Public log) throws InputException {
        List<CollectiveTest> tests = read(log.text());
        assertThat(tests).hasSize(1);
        CollectiveTest test = tests.get(0);
        assertThat(test.ranks()).isEqualTo(log.gpus());
        assertThat(test.nodes()).isEqualTo(log.nodes());
        assertThat(test.rows()).extracting(CollectiveTest.Row::bytes).contains(log.largestBytes());
        assertThat(test.busBytesPerSecond() / 1e9)
                .isCloseTo(log.largestBusBandwidth(), within(0.02 + 0.002 * log.largestBusBandwidth()));
        List<List<String>> rows = log.rows().stream()
                .filter(row -> !row.get(0).equals("0") && !row.get(5).isEmpty())
                .toList();
        assertThat(test.rows()).hasSizeGreaterThanOrEqualTo(rows.size() - 1);
    }

    @Test
    void severalTestsStandInOneLog() throws InputException {
        String gather = PrintedLogs.of(
                new CollectiveTest(
                        "", CollectiveKind.ALL_GATHER, 16, 2, List.of(new CollectiveTest.Row(1, 1 << 20, 1e-4))),
                us -> us);
        String reduce = PrintedLogs.of(
                new CollectiveTest(
                        "", CollectiveKind.ALL_REDUCE, 8, 1, List.of(new CollectiveTest.Row(1, 1 << 20, 5e-5))),
                us -> us);
        assertThat(read(gather + reduce))
                .extracting(CollectiveTest::kind, CollectiveTest::ranks, CollectiveTest::nodes)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(CollectiveKind.ALL_GATHER, 16, 2),
                        org.assertj.core.groups.Tuple.tuple(CollectiveKind.ALL_REDUCE, 8, 1));
    }

    @Test
    void jsonOfNcclTestsIsRead() throws InputException {
        CollectiveTest test = read("""
                {"version": 3, "args": ["./build/all_gather_perf", "-b", "8"],
                 "config": {"nthreads": 1, "ngpus": 8, "devices": [
                   {"rank": 0, "group": 0, "pid": 1, "hostname": "a", "device": 0},
                   {"rank": 8, "group": 0, "pid": 2, "hostname": "b", "device": 0}]},
                 "results": [
                   {"size": 1048576, "count": 16384, "type": "float", "redop": "none", "root": "-1",
                    "out_of_place": {"time": 100.0, "alg_bw": 10.48576, "bus_bw": 9.8304, "nwrong": null},
                    "in_place": {"time": 101.0, "alg_bw": 10.38, "bus_bw": 9.73, "nwrong": 0}}]}
                """).get(0);
        assertThat(test.kind()).isEqualTo(CollectiveKind.ALL_GATHER);
        assertThat(test.ranks()).isEqualTo(16);
        assertThat(test.nodes()).isEqualTo(2);
        assertThat(test.rows().get(0).seconds()).isCloseTo(1e-4, within(1e-12));
    }

    @Test
    void aLogThatEndsWithinARowKeepsTheOthers() throws InputException {
        assertThat(
                        read("all_reduce_perf\n# Rank 0 Pid 1 on a device 0 [0x10] A100\n# Rank 1 Pid 2 on b device 0 [0x10] A100\n"
                                        + HEADING
                                        + "1048576 262144 float sum -1 100.0 10.49 10.49 0 100.0 10.49 10.49 0\n2097152 524288 float sum -1 20")
                                .get(0)
                                .rows())
                .hasSize(1);
    }

    @Test
    void anAllReduceTellsItselfAndItsRanks() throws InputException {
        CollectiveTest test = read(HEADING
                        + "1073741824 268435456 float sum -1 10000 107.37 201.33 0 10000 107.37 201.33 0\n")
                .get(0);
        assertThat(test.kind()).isEqualTo(CollectiveKind.ALL_REDUCE);
        assertThat(test.ranks()).isEqualTo(16);
        assertThat(test.nodes()).isZero();
    }

    /** Every damage is either a problem with a place, or leaves the figures as they were or fewer. */
    @Test
    void noDamageEndsInAnythingElse() throws InputException {
        String text = simulated().findFirst().orElseThrow().text();
        String json =
                "{\"args\": [\"all_gather_perf\"], \"config\": {\"ngpus\": 8, \"devices\": [{\"rank\": 0, \"hostname\": \"a\"}]},"
                        + " \"results\": [{\"size\": 1048576, \"out_of_place\": {\"time\": 100.0, \"alg_bw\": 10.49, \"bus_bw\": 9.8}}]}";
        assertThat(read(json)).hasSize(1);
        Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < 4000; i++) {
            StringBuilder damaged = new StringBuilder(i % 2 == 0 ? text : json);
            for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
                int at = random.nextInt(damaged.length());
                int to = Math.min(damaged.length(), at + random.nextInt(20));
                damaged.replace(
                        at,
                        random.nextBoolean() ? to : at,
                        "09.e-+ \n{}[]\"#\u0000x".substring(random.nextInt(8), 8 + random.nextInt(9)));
            }
            try {
                assertThat(read(damaged.toString())).isNotEmpty();
            } catch (InputException told) {
                assertThat(told.problems()).isNotEmpty();
                refused++;
            }
        }
        assertThat(refused).isBetween(100, 3900);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no table at all | has no nccl-tests table",
                "{\"version\": 3, \"results\": [ | is incomplete",
                "{\"version\": 3} | is JSON without nccl-tests results",
                "all_gather_perf;ROWS 1048576 262144 float none -1 100.0 99.9 93.6 0 100 10.5 9.8 0 | algbw says 99.9",
                "all_gather_perf;ROWS 1048576 262144 float none -1 nan 10.5 9.8 0 100 10.5 9.8 0; | are not valid results",
                "all_gather_perf;ROWS 1048576 262144 float none -1 0.00 inf inf 0 100 10.5 9.8 0; | are not valid results",
                "all_gather_perf;ROWS 1048576 262144 float none -1 100.0;x | a row of 3 figures under a header of 10",
                "gather_perf;ROWS 1048576 262144 float none 0 100.0 10.49 9.83 0 100 10.5 9.8 0 | has tables of gather_perf only",
                "1048576 262144 float none -1 100.0 10.49 9.83 0 100 10.5 9.8 0 | names the collective; add --collective",
                "all_gather_perf;1048576 262144 float none -1 100.0 0.01 0.01 0 100 10.5 9.8 0 | algbw says 0.01",
                "all_gather_perf;1024 256 float none -1 100.0 0.01 0.01 0 100 0.01 0.01 0; | the number of GPUs; keep the lines",
                "all_gather_perf;# Rank 0 Pid 1 on a device 0 [0x10] A100;1048576 262144 float none -1 100.0 10.49 0.00 0 100 10.5 0 0 | 1 GPU measures no network",
            })
    void aDamagedLogIsToldByLineAndReason(String lines, String told) {
        String text = lines.replace(
                        "ROWS",
                        "# Rank 0 Pid 1 on a device 0 [0x10] A;# Rank 1 Pid 1 on b device 0 [0x10] A;" + HEADING)
                .replace(";", "\n");
        InputException refused = catchThrowableOfType(InputException.class, () -> read(text));
        assertThat(refused).as(text).isNotNull();
        assertThat(refused.getMessage()).startsWith("a.log:").contains(told);
    }
}
