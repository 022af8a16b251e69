package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.replay.TraceFile;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Traces, and memory over time, agree with the result document. */
class TracesTest {
    private static final String TRAINING = """
            scenario: traced
            model: {hidden: 1024, layers: 2, heads: 16, ffn: 4096, vocab: 4096}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 128, micro_batch: 2, precision: bf16, activation_checkpointing: full}
            sweep: {strategy: [{kind: zero3}, {kind: mics, shard_group: 8}]}
            """;
    private static final String COLLECTIVE = """
            scenario: gather
            cluster: {instance: p4d.24xlarge, nodes: 2}
            workload: {collective: all_gather, size: 16 MiB}
            """;
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @TempDir
    Path folder;

    private record Traced(ScenarioResult result, Traces.Written written, JsonNode events) {
        /** Slices by track: start, length and bytes of each. */
        Map<String, List<BigDecimal[]>> tracks() {
            Map<String, String> processes = new LinkedHashMap<>();
            Map<String, String> names = new LinkedHashMap<>();
            Map<String, List<BigDecimal[]>> tracks = new LinkedHashMap<>();
            for (JsonNode event : events) {
                String pid = event.get("pid").asString();
                String id = pid + "/" + event.get("tid").asString();
                if (event.get("name").asString().equals("process_name")) {
                    processes.put(pid, event.get("args").get("name").asString());
                } else if (event.get("name").asString().equals("thread_name")) {
                    names.put(
                            id,
                            processes.get(pid) + "/"
                                    + event.get("args").get("name").asString());
                } else if (event.get("ph").asString().equals("X")) {
                    BigDecimal bytes =
                            event.has("args") ? event.get("args").get("bytes").decimalValue() : BigDecimal.ZERO;
                    tracks.computeIfAbsent(names.get(id), key -> new ArrayList<>())
                            .add(new BigDecimal[] {
                                event.get("ts").decimalValue(), event.get("dur").decimalValue(), bytes
                            });
                }
            }
            return tracks;
        }
    }

    private Traced trace(String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("traced", text);
        List<RunResult> runs = new ArrayList<>();
        RunOptions options = new RunOptions(1, true);
        try (PointSimulation simulation = new PointSimulation(options)) {
            for (ScenarioPoint point : scenario.points()) {
                runs.add(simulation.run(point));
            }
        }
        ScenarioResult result = ScenarioResult.of(scenario.name(), runs);
        Traces.Written written = Traces.write(folder, scenario, result, options);
        return new Traced(
                result,
                written,
                MAPPER.readTree(Files.readString(written.file())).get("traceEvents"));
    }

    private static BigDecimal sum(List<BigDecimal[]> slices, int column) {
        return slices.stream().map(slice -> slice[column]).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    @Test
    @Tag("slow")
    void streamsAndPortsCountToTheResult() throws Exception {
        Traced traced = trace(TRAINING);
        assertThat(traced.written().leftOut()).isEmpty();
        Map<String, List<BigDecimal[]>> tracks = traced.tracks();
        RunNames names = traced.result().names();
        for (RunResult run : traced.result().runs()) {
            long busyPs = run.rank0().timeline().stream()
                            .filter(span -> span.stream() == Stream.COMPUTE)
                            .mapToLong(OperationSpan::endPs)
                            .sum()
                    - run.rank0().timeline().stream()
                            .filter(span -> span.stream() == Stream.COMPUTE)
                            .mapToLong(OperationSpan::startPs)
                            .sum();
            String process = names.withGpus(run);
            assertThat(sum(tracks.get(process + ", streams/Node[0].Gpu[0] compute"), 1)
                            .movePointRight(6)
                            .longValueExact())
                    .as(process)
                    .isEqualTo(busyPs);
            BigDecimal nicBytes = BigDecimal.ZERO;
            for (int nic = 0; nic < 4; nic++) {
                nicBytes = nicBytes.add(
                        sum(tracks.get(process + ", what Node[0] sends/Node[0].Nic[" + nic + "].Port[0] NIC"), 2));
            }
            assertThat(nicBytes.longValueExact() * run.nodes())
                    .as(run.label())
                    .isEqualTo(run.network().nicBytesSent());
        }
    }

    @Test
    @Tag("slow")
    void arrowsLeadFromThePortThatSendsToTheCollectiveThatReceives() throws Exception {
        Traced traced = trace(TRAINING);
        Map<String, List<BigDecimal[]>> slices = new HashMap<>();
        Map<String, JsonNode> sent = new HashMap<>();
        List<JsonNode> received = new ArrayList<>();
        for (JsonNode event : traced.events()) {
            switch (event.get("ph").asString()) {
                case "X" ->
                    slices.computeIfAbsent(track(event), key -> new ArrayList<>())
                            .add(new BigDecimal[] {
                                event.get("ts").decimalValue(),
                                event.get("ts")
                                        .decimalValue()
                                        .add(event.get("dur").decimalValue())
                            });
                case "s" -> sent.put(event.get("id").asString(), event);
                case "f" -> received.add(event);
                default -> {}
            }
        }
        assertThat(received).hasSizeGreaterThan(1000).hasSameSizeAs(sent.keySet());
        int inside = 0;
        for (JsonNode end : received) {
            JsonNode start = sent.get(end.get("id").asString());
            assertThat(start.get("ts").decimalValue()).isLessThan(end.get("ts").decimalValue());
            assertThat(slices.get(track(start)))
                    .anyMatch(slice -> slice[0].compareTo(start.get("ts").decimalValue()) == 0);
            inside += slices.get(track(end)).stream().anyMatch(slice -> isIn(slice, end)) ? 1 : 0;
        }
        // A chunk may arrive before its receiver has reached the collective.
        assertThat(inside).isGreaterThan(received.size() * 9 / 10);
    }

    private static String track(JsonNode event) {
        return event.get("pid").asString() + "/" + event.get("tid").asString();
    }

    private static boolean isIn(BigDecimal[] slice, JsonNode event) {
        BigDecimal at = event.get("ts").decimalValue();
        return slice[0].compareTo(at) <= 0 && at.compareTo(slice[1]) <= 0;
    }

    @Test
    void theCounterOfALinkCountsItsBytes() throws Exception {
        Traced traced = trace(COLLECTIVE);
        String name = "Node[0].Nic[0].Port[0] NIC";
        double bytes = 0;
        double rate = 0;
        double since = 0;
        for (JsonNode event : traced.events()) {
            if (event.get("name").asString().equals(name + " [GB/s]")) {
                double now = event.get("ts").doubleValue();
                bytes += rate * 1e3 * (now - since);
                rate = event.get("args").get("value").doubleValue();
                since = now;
            }
        }
        List<BigDecimal[]> slices = traced.tracks().entrySet().stream()
                .filter(track -> track.getKey().endsWith(name))
                .findFirst()
                .orElseThrow()
                .getValue();
        assertThat(bytes).isCloseTo(sum(slices, 2).doubleValue(), withinPercentage(0.1));
    }

    @Test
    @Tag("slow")
    void slicesOfATrackStandOneAfterAnother() throws Exception {
        trace(TRAINING).tracks().forEach((name, slices) -> {
            BigDecimal free = BigDecimal.ZERO;
            for (BigDecimal[] slice : slices) {
                assertThat(slice[0]).as(name).isGreaterThanOrEqualTo(free);
                assertThat(slice[1]).as(name).isNotNegative();
                free = slice[0].add(slice[1]);
            }
        });
    }

    @Test
    @Tag("slow")
    void aLongRunIsCutToTheBoundAndSaysSo() throws Exception {
        Traced traced = trace(TRAINING.replace("global_batch: 128", "global_batch: 16384"));
        int slices = traced.tracks().values().stream().mapToInt(List::size).sum();
        assertThat(slices).isBetween(TraceFile.SLICES_MAX / 4, TraceFile.SLICES_MAX);
        assertThat(traced.written().leftOut()).anyMatch(what -> what.contains("chunks from"));
        assertThat(Files.size(traced.written().file())).isLessThan(30_000_000);
    }

    @Test
    void collectiveHasATraceToo() throws Exception {
        Traced traced = trace(COLLECTIVE);
        assertThat(traced.tracks().keySet())
                .anyMatch(name -> name.endsWith("streams/Node[0].Gpu[0] gather"))
                .anyMatch(name -> name.endsWith("Node[0].Nic[3].Port[0] NIC"));
    }

    @Test
    @Tag("slow")
    void memoryOverTimePeaksWhereTheLedgerDoes() throws Exception {
        for (RunResult run : trace(TRAINING).result().runs()) {
            MemoryOverTime memory = run.rank0().memory();
            RunFacts.Memory ledger = run.facts().ledger();
            assertThat(memory).isNotNull();
            assertThat(memory.total(memory.peakColumn())).as(run.label()).isEqualTo(ledger.peakBytes());
            for (MemoryOwner owner : MemoryOwner.values()) {
                assertThat(memory.of(owner, memory.peakColumn()))
                        .as(run.label() + " " + owner)
                        .isEqualTo(ledger.ofOwner(owner));
            }
        }
    }
}
