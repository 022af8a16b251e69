package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.run.SimulationEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A trace is a PyTorch profile: Holistic Trace Analysis reads it, and finds the breakdown of the result document. */
class ProfilerTraceTest {
    private static final String TRAINING = """
            scenario: profiled
            model: {hidden: 1024, layers: 6, heads: 16, ffn: 4096, vocab: 4096}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 64, micro_batch: 1, precision: bf16, activation_checkpointing: full}
            strategy: %s
            """;

    @TempDir
    Path folder;

    /** @param plan plan whose operations rank 0's timeline numbers */
    private record Profiled(StepPlan plan, StepObservation observation, TreeMap<Integer, HolisticTrace> ranks) {
        /** Returns operations of rank 0 that a GPU runs, by start. */
        List<OperationSpan> onGpu(Predicate<OperationSpan> which) {
            return observation.timeline().stream()
                    .filter(span -> span.stream() != Stream.HOST && span.endPs() > span.startPs())
                    .filter(which)
                    .sorted(Comparator.comparingLong(OperationSpan::startPs))
                    .toList();
        }

        boolean isCollective(OperationSpan span) {
            return plan.operation(span.operation()) instanceof Operation.Collective;
        }
    }

    private Profiled profile(String strategy) throws Exception {
        Scenario scenario = ScenarioReader.readText("profiled", TRAINING.formatted(strategy));
        RunOptions options = new RunOptions(1, true);
        List<Profiled> profiled = new ArrayList<>();
        try (SimulationEngine engine = new SimulationEngine(1);
                PointSimulation simulation = new PointSimulation(options, (setup, observer, endMaxPs) -> {
                    StepObservation observation = engine.run(setup);
                    profiled.add(new Profiled(setup.plan(), observation, new TreeMap<>()));
                    return observation;
                })) {
            RunResult run = simulation.run(scenario.points().get(0));
            ScenarioResult result = ScenarioResult.of(scenario.name(), List.of(run));
            Traces.Written written = Traces.write(folder, scenario, result, options);
            assertThat(written.leftOut()).noneMatch(what -> what.contains("profile"));
        }
        try (var folders = Files.list(folder.resolve("trace"))) {
            profiled.get(0)
                    .ranks()
                    .putAll(HolisticTrace.readAll(folders.findFirst().orElseThrow()));
        }
        return profiled.get(0);
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(
            strings = {
                "{kind: zero3}",
                "{kind: zero2, offload_optimizer: true}",
                "{kind: ddp}",
                "{kind: fsdp}",
                "{kind: fsdp2, shard_group: 8}",
                "{kind: mics, shard_group: 8}",
                "{kind: zeropp}",
                "{kind: megatron-core, tensor_parallel: 2, pipeline_parallel: 2}"
            })
    void breakdownAndOverlapEqualOurs(String strategy) throws Exception {
        Profiled profiled = profile(strategy);
        profiled.ranks().forEach((rank, trace) -> {
            RankTotals ours = profiled.observation().ranks().get(rank);
            assertEqual(trace, trace.breakdown().computeNs(), ours.busyPs().get(Stream.COMPUTE));
        });
        HolisticTrace trace = profiled.ranks().get(0);
        List<OperationSpan> all = profiled.onGpu(span -> true);
        List<OperationSpan> collectives = profiled.onGpu(profiled::isCollective);
        List<OperationSpan> computing = profiled.onGpu(span -> span.stream() == Stream.COMPUTE);
        List<OperationSpan> both =
                profiled.onGpu(span -> span.stream() == Stream.COMPUTE || profiled.isCollective(span));
        assertEqual(trace, trace.breakdown().kernelNs(), endPs(all) - all.get(0).startPs());
        assertEqual(trace, trace.breakdown().idleNs(), endPs(all) - all.get(0).startPs() - unionPs(all));
        assertEqual(trace, HolisticTrace.sum(trace.merged(HolisticTrace.Type.COMMUNICATION)), unionPs(collectives));
        assertEqual(trace, trace.overlapNs(), unionPs(computing) + unionPs(collectives) - unionPs(both));
    }

    /** Each start and each end is at most half a nanosecond off. */
    private static void assertEqual(HolisticTrace trace, long theirsNs, long oursPs) {
        long tolerancePs = 1000L * (trace.kernels().size() + 1);
        assertThat(1000 * theirsNs).isBetween(oursPs - tolerancePs, oursPs + tolerancePs);
    }

    /** Returns the time during which at least one of the operations runs, given by start [ps]. */
    private static long unionPs(List<OperationSpan> spans) {
        long sumPs = 0;
        long untilPs = 0;
        for (OperationSpan span : spans) {
            if (span.endPs() > untilPs) {
                sumPs += span.endPs() - Math.max(untilPs, span.startPs());
                untilPs = span.endPs();
            }
        }
        return sumPs;
    }

    private static long endPs(List<OperationSpan> spans) {
        return spans.stream().mapToLong(OperationSpan::endPs).max().orElseThrow();
    }

    @Test
    @Tag("slow")
    void eachKernelHasItsLaunchAndItsArrow() throws Exception {
        for (HolisticTrace trace : profile("{kind: zero3}").ranks().values()) {
            Map<Long, Long> launchesNs = new HashMap<>();
            Map<String, Set<Long>> arrows = new HashMap<>();
            for (JsonNode event : trace.document().get("traceEvents")) {
                if (event.path("cat").asString("").equals("cuda_runtime")) {
                    launchesNs.put(event.get("args").get("correlation").longValue(), HolisticTrace.ns(event, "ts"));
                } else if (event.path("cat").asString("").equals("ac2g")) {
                    arrows.computeIfAbsent(event.get("ph").asString(), key -> new HashSet<>())
                            .add(event.get("id").longValue());
                }
            }
            assertThat(launchesNs).hasSameSizeAs(trace.kernels());
            assertThat(arrows.get("s")).isEqualTo(launchesNs.keySet());
            assertThat(arrows.get("f")).isEqualTo(launchesNs.keySet());
            assertThat(trace.kernels())
                    .allSatisfy(kernel ->
                            assertThat(launchesNs.get(kernel.correlation())).isBetween(0L, kernel.startNs()));
            assertThat(launchesNs.values()).anyMatch(ns -> ns > 0);
        }
    }

    @Test
    @Tag("slow")
    void eachSimulatedRankHasAFileThatNamesItAndItsDevices() throws Exception {
        TreeMap<Integer, HolisticTrace> ranks = profile("{kind: fsdp}").ranks();
        assertThat(ranks).hasSizeGreaterThanOrEqualTo(8);
        HolisticTrace last = ranks.lastEntry().getValue();
        assertThat(last.document().get("distributedInfo").get("world_size").intValue())
                .isEqualTo(16);
        assertThat(last.document().get("deviceProperties")).hasSize(8);
        assertThat(last.kernels())
                .extracting(HolisticTrace.Kernel::name)
                .contains("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
                .anyMatch(name -> name.startsWith("ncclDevKernel_ReduceScatter_Sum_"));
    }
}
