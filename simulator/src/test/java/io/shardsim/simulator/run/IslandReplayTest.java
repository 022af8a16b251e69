package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.strategy.JobBuilder;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.topology.Cluster;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipeline stages on separate nodes, each of which jumps over what it has done before: equal to the picosecond. */
class IslandReplayTest {
    private static final int TOKENS = 1024;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    /** Pipeline over nodes. */
    private record Pipeline(
            int nodes, ModelShape model, Map<String, Object> parameters, int microBatches, Checkpointing kept) {
        StepObservation run(boolean skip, Map<Integer, Long> durationPerMille) throws Exception {
            Cluster cluster = Clusters.p4dOf(nodes);
            ShardingStrategy strategy = StrategyCatalog.load().create("megatron-core", parameters);
            TrainingJob job = JobBuilder.job(model)
                    .ranks(cluster.worldSize())
                    .samples(TOKENS, 1, microBatches)
                    .checkpointing(kept)
                    .dropout(false)
                    .kernels(strategy.defaultKernels())
                    .parallel(strategy.modelParallel())
                    .build();
            assumeThat(strategy.problems(job)).isEmpty();
            return engine.run(new SimulationSetup(
                    cluster,
                    strategy.plan(job),
                    new TransformerWorkTimes(job, cluster.instance()),
                    new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                    durationPerMille,
                    Shortcut.allIf(skip)));
        }
    }

    private static Pipeline drawn(Random random) {
        int stages = 2 << random.nextInt(2);
        int chunks = 1 << random.nextInt(2);
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("pipeline_parallel", stages);
        if (chunks > 1) {
            parameters.put("pipeline_schedule", "interleaved");
            parameters.put("model_chunks", chunks);
        }
        int tensor = 1 << random.nextInt(4);
        parameters.put("tensor_parallel", tensor);
        parameters.put("sequence_parallel", tensor > 1);
        int layers = stages * chunks * (1 + random.nextInt(3));
        int microBatches = stages * (2 + random.nextInt(6));
        boolean routed = random.nextBoolean();
        if (routed) {
            parameters.put("expert_parallel", 2 << random.nextInt(2));
        }
        return new Pipeline(
                stages,
                routed ? mixture(layers) : ModelShape.gpt2(1024, layers, 16, 4096, TOKENS),
                parameters,
                microBatches,
                random.nextBoolean() ? Checkpointing.FULL : Checkpointing.NONE);
    }

    private static ModelShape mixture(int layers) {
        return new ModelShape(
                1024,
                layers,
                Family.LLAMA,
                new Heads(16, 16, 64, false),
                2048,
                new MixtureOfExperts(new Experts(8, 2), 512, 0, 0, 1),
                new Embeddings(4096, false, 0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givesWhatExecutingEverythingGives(long seed) throws Exception {
        Random random = new Random(seed);
        Pipeline pipeline = drawn(random);
        Map<Integer, Long> slower =
                random.nextBoolean() ? Map.of(random.nextInt(8), 1000L + random.nextInt(300)) : Map.of();

        StepObservation all = pipeline.run(false, slower);
        StepObservation skipped = pipeline.run(true, slower);

        assertThat(skipped.digest()).as("%s", pipeline).isEqualTo(all.digest());
        assertThat(skipped.ranks()).as("%s", pipeline).isEqualTo(all.ranks());
        assertThat(skipped.links()).as("%s", pipeline).isEqualTo(all.links());
        assertThat(skipped.timeline()).as("%s", pipeline).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).as("%s", pipeline).isEqualTo(all.simulatedEvents());
    }

    /** Stages of unequal length never reach a joint period, so each stage repeats by itself. */
    @Test
    void furtherMicroBatchesTakeFewEvents() throws Exception {
        Map<String, Object> parameters =
                Map.of("pipeline_parallel", 4, "tensor_parallel", 8, "sequence_parallel", true);
        ModelShape model = ModelShape.gpt2(2048, 32, 16, 50_257, TOKENS);
        StepObservation some = new Pipeline(4, model, parameters, 8, Checkpointing.FULL).run(true, Map.of());
        StepObservation more = new Pipeline(4, model, parameters, 16, Checkpointing.FULL).run(true, Map.of());

        long simulated = more.simulatedEvents() - some.simulatedEvents();
        assertThat(more.executedEvents() - some.executedEvents()).isLessThan(simulated / 5);
    }
}
