package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every strategy in {@code strategies/}. */
class StrategyContractTest {
    private static final ModelShape SMALL = ModelShape.gpt2(1024, 6, 16, 50257, 1024);
    private static final TrainingJob JOB = Strategies.job(SMALL, 32, 512, 2, 2);

    static List<String> kinds() {
        return StrategyCatalog.load().kinds();
    }

    private static ShardingStrategy of(String kind) {
        return Strategies.of(kind, Map.of());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyParameterHasAMeaningAndASource(String kind) {
        Descriptor descriptor = StrategyCatalog.load().descriptor(kind).orElseThrow();
        assertThat(descriptor.text("title")).isNotBlank();
        assertThat(descriptor.text("source")).isNotBlank();
        assertThat(StrategyCatalog.settings(descriptor)).isNotEmpty().allSatisfy(setting -> {
            assertThat(setting.meaning()).as(setting.name()).endsWith(".");
            assertThat(setting.source()).as(setting.name()).isNotBlank();
        });
    }

    /** Operations of the same name are counted together, whichever layer they belong to. */
    @ParameterizedTest
    @MethodSource("kinds")
    void namesOfOperationsNumberNothing(String kind) {
        TrainingJob deeper = Strategies.job(SMALL.withLayers(2 * SMALL.layers()), 32, 512, 2, 2);
        assertThat(labels(of(kind).plan(deeper))).isEqualTo(labels(of(kind).plan(JOB)));
    }

    private static Set<String> labels(StepPlan plan) {
        return IntStream.range(0, plan.size())
                .mapToObj(i -> plan.operation(i).label())
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void planningTwiceGivesTheSamePlan(String kind) {
        StepPlan first = of(kind).plan(JOB);
        StepPlan second = of(kind).plan(JOB);
        assertThat(first.size()).isEqualTo(second.size()).isPositive();
        for (int i = 0; i < first.size(); i++) {
            assertThat(first.operation(i)).isEqualTo(second.operation(i));
            assertThat(first.waitsFor(i)).isEqualTo(second.waitsFor(i));
        }
        assertThat(first.memoryChanges()).isEqualTo(second.memoryChanges());
        assertThat(first.marks()).isEqualTo(second.marks());
    }

    /** Every parameter has exactly one owner in a shard group: the shards of the optimizer states add up to the model. */
    @ParameterizedTest
    @MethodSource("kinds")
    void shardsOfAGroupAddUpToTheModel(String kind) {
        ShardingStrategy strategy = of(kind);
        RankGroups shard = strategy.shardGroups(JOB);
        StepPlan plan = strategy.plan(JOB);
        long updated = updated(plan);
        long tensors = 12L * SMALL.layers() + 4;
        if (labels(plan).contains("update on the server")) {
            // EarlyDataParallelTest counts what the servers update.
            assertThat(updated).isZero();
        } else {
            assertThat(updated * shard.size())
                    .isBetween(SMALL.parameters(), SMALL.parameters() + tensors * shard.size());
        }
        assertThat(IntStream.range(0, JOB.worldSize())
                                .map(shard::firstOf)
                                .distinct()
                                .count()
                        * shard.size())
                .isEqualTo(JOB.worldSize());
    }

    private static long updated(StepPlan plan) {
        return IntStream.range(0, plan.size())
                .mapToObj(plan::operation)
                .filter(Operation.Compute.class::isInstance)
                .map(operation -> ((Operation.Compute) operation).work())
                .filter(work -> work.kind() == Work.Kind.OPTIMIZER_STEP)
                .mapToLong(Work::amount)
                .sum();
    }

    /** AdamW keeps 8 bytes per parameter that a GPU updates; every other optimizer keeps what its file gives. */
    @ParameterizedTest
    @MethodSource("kinds")
    void optimizersKeepWhatTheirFilesSay(String kind) {
        StepPlan adam = of(kind).plan(JOB);
        for (String name : Optimizer.names()) {
            TrainingJob job = JobBuilder.job(SMALL)
                    .ranks(32)
                    .samples(512, 2, 2)
                    .optimizer(name)
                    .build();
            StepPlan plan = of(kind).plan(job);
            double bytes = job.execution().optimizer().bytesPerParameter(4, job.model());
            assertThat((double) states(adam) - states(plan))
                    .as(name)
                    .isCloseTo((8 - bytes) * updated(adam), Offset.offset(1.0));
        }
    }

    private static long states(StepPlan plan) {
        return MemoryLedger.peakBytes(plan.memoryChanges(), Set.of(MemoryOwner.OPTIMIZER_STATES), 0);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyRankOfAGroupRunsTheSameCollectives(String kind) {
        StepPlan plan = of(kind).plan(JOB);
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective) {
                assertThat(collective.groups().worldSize()).isEqualTo(JOB.worldSize());
                assertThat(collective.groups().size()).isGreaterThan(1);
                assertThat(collective.totalBytes()).isPositive();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void computesEveryLayerOfEveryMicroBatch(String kind) {
        StepPlan plan = of(kind).plan(JOB);
        Map<Work.Kind, Long> amounts = new EnumMap<>(Work.Kind.class);
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Compute compute) {
                amounts.merge(compute.work().kind(), compute.work().amount(), Long::sum);
            }
        }
        long layers = (long) SMALL.layers() * JOB.accumulationSteps();
        assertThat(amounts)
                .containsEntry(Work.Kind.LAYER_FORWARD, layers)
                .containsEntry(Work.Kind.LAYER_RECOMPUTE, layers)
                .containsEntry(Work.Kind.LAYER_BACKWARD, layers)
                .containsEntry(Work.Kind.HEAD_BACKWARD, (long) JOB.accumulationSteps())
                .containsEntry(Work.Kind.EMBEDDING_BACKWARD, (long) JOB.accumulationSteps());
    }

    /** Checkpointed layers are spread evenly: three of six are the second, fourth and sixth. Fewer of them need more memory. */
    @ParameterizedTest
    @MethodSource("kinds")
    void computesTheCheckpointedLayersAgainAndNoOthers(String kind) {
        long before = 0;
        for (int layers : new int[] {6, 3, 1, 0}) {
            TrainingJob job = JOB.withCheckpointedLayers(layers);
            StepPlan plan = of(kind).plan(job);
            assertThat(IntStream.range(0, plan.size())
                            .mapToObj(plan::operation)
                            .filter(operation -> operation instanceof Operation.Compute compute
                                    && compute.work().kind() == Work.Kind.LAYER_RECOMPUTE)
                            .count())
                    .isEqualTo((long) layers * JOB.accumulationSteps());
            assertThat(MemoryLedger.of(plan).peakBytes()).isGreaterThan(before);
            before = MemoryLedger.of(plan).peakBytes();
        }
        TrainingJob half = JOB.withCheckpointedLayers(3);
        assertThat(IntStream.range(0, 6).filter(layer -> half.checkpointing(layer) == Checkpointing.FULL))
                .containsExactly(1, 3, 5);
    }

    /** If activations are most of the memory, a recomputed layer causes no more fragmentation than it saves. */
    @ParameterizedTest
    @MethodSource("kinds")
    void theFewerLayersAreComputedAgainTheMoreMemory(String kind) {
        TrainingJob large = Strategies.job(ModelShape.gpt2(1024, 24, 16, 1024, 2048), 32, 2048, 16, 1);
        long before = 0;
        for (int layers : new int[] {24, 12, 4, 2, 1}) {
            long peak = MemoryLedger.of(of(kind).plan(large.withCheckpointedLayers(layers)))
                    .peakBytes();
            assertThat(peak).as("%d layers", layers).isGreaterThan(before);
            before = peak;
        }
        // The only one of 24 is the last, which is recomputed before any other is freed.
        assertThat((double) MemoryLedger.of(of(kind).plan(large.withCheckpointedLayers(0)))
                                .peakBytes()
                        / before)
                .isBetween(0.96, 1.05);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatAStepAllocatesItFrees(String kind) {
        for (TrainingJob job :
                List.of(JOB, JobBuilder.like(JOB).offload(true).build(), JOB.withCheckpointedLayers(2))) {
            StepPlan plan = of(kind).plan(job);
            Map<MemoryOwner, Long> held = new EnumMap<>(MemoryOwner.class);
            plan.memoryChanges().forEach(change -> held.merge(change.owner(), change.bytes(), Long::sum));
            assertThat(held.getOrDefault(MemoryOwner.GATHERED_UNITS, 0L)).isZero();
            assertThat(held.getOrDefault(MemoryOwner.ACTIVATIONS, 0L)).isZero();
            assertThat(held.getOrDefault(MemoryOwner.WORKING_SET, 0L)).isZero();
            assertThat(MemoryLedger.of(plan).peakBytes()).isPositive();
        }
    }

    /** Exact fast-forward depends on it: layers of one micro-batch equal those of another, operation by operation. */
    @ParameterizedTest
    @MethodSource("kinds")
    void laterMicroBatchesRepeatTheSecond(String kind) {
        StepPlan plan = of(kind).plan(JOB.withMicroBatch(2, 5));
        int[] starts = plan.marks().stream()
                .filter(mark -> mark.level() == 1)
                .mapToInt(StepPlan.Mark::beforeOperation)
                .toArray();
        assertThat(starts).as("one for each, and where the last has ended").hasSize(6);
        assertThat(starts[3] - starts[2]).isEqualTo(starts[2] - starts[1]);
        int period = starts[2] - starts[1];
        for (int i = starts[1]; i < starts[2]; i++) {
            int later = i + period;
            assertThat(plan.operation(later)).isSameAs(plan.operation(i));
            int[] moved =
                    Arrays.stream(plan.waitsFor(i)).map(wait -> wait + period).toArray();
            assertThat(plan.waitsFor(later))
                    .as(kind + " operation " + i + " " + plan.operation(i))
                    .isEqualTo(moved);
        }
        long layerMarks = plan.marks().stream()
                .filter(mark -> mark.level() == 0)
                .filter(mark -> mark.beforeOperation() >= starts[1] && mark.beforeOperation() < starts[2])
                .count();
        assertThat(layerMarks).isEqualTo(2L * SMALL.layers());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void refusesWhatItDoesNotKnow(String kind) {
        assertThat(Strategies.of(kind, Map.of("no_such_parameter", 1)).problems(JOB))
                .singleElement()
                .asString()
                .contains("no_such_parameter");
        assertThat(of(kind).problems(JOB)).isEmpty();
    }
}
