package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Entries in a user's jar are found next to the shipped ones: a strategy, a collective, an instance, a GPU and its constants. */
class FurtherJarTest {
    private static final String STRATEGY = """
            package elsewhere;

            import io.shardsim.simulator.job.TrainingJob;
            import io.shardsim.simulator.plan.RankGroups;
            import io.shardsim.simulator.plan.StepPlan;
            import io.shardsim.simulator.strategy.Ddp;
            import io.shardsim.simulator.strategy.ShardingStrategy;
            import io.shardsim.simulator.strategy.settings.StrategyParameters;

            public final class Borrowed extends ShardingStrategy {
                private final Ddp ddp;

                public Borrowed(StrategyParameters settings) {
                    super(settings);
                    ddp = new Ddp(settings);
                }

                @Override
                public StepPlan plan(TrainingJob job) {
                    return ddp.plan(job);
                }

                @Override
                public RankGroups shardGroups(TrainingJob job) {
                    return ddp.shardGroups(job);
                }
            }
            """;

    private static final String COLLECTIVE = """
            package elsewhere;

            import io.shardsim.simulator.collective.CollectiveAlgorithm;
            import io.shardsim.simulator.collective.ChannelProgram;
            import io.shardsim.simulator.collective.CollectiveRequest;
            import io.shardsim.simulator.collective.RingAllReduce;

            public final class Hoop implements CollectiveAlgorithm {
                private final RingAllReduce ring = new RingAllReduce();

                @Override
                public String name() {
                    return "hoop";
                }

                @Override
                public boolean supports(CollectiveRequest request) {
                    return ring.supports(request);
                }

                @Override
                public int channels(CollectiveRequest request) {
                    return ring.channels(request);
                }

                @Override
                public ChannelProgram program(CollectiveRequest request, int member, int channel) {
                    return ring.program(request, member, channel);
                }
            }
            """;

    private static final Map<String, String> DATA = Map.of(
            "strategies/borrowed.yaml",
            """
            extends: ddp
            class: elsewhere.Borrowed
            title: Borrowed
            source: this test
            parameters:
              bucket_size: {value: 50 MiB, source: this test}
            """,
            "collectives/hoop.yaml",
            "name: hoop\nclass: elsewhere.Hoop\nkinds: [all_reduce]\nsource: this test\n",
            "catalog/gpus/z1.yaml",
            "title: Z1\nextends: a100-80gb\narchitecture: zeta\n",
            "catalog/compute/zeta.yaml",
            "title: Zeta, kernel times\nextends: ampere\nremark: zeta is made up\n",
            "catalog/nccl/gpus/zeta.yaml",
            "title: NCCL on Zeta\nextends: ampere\n",
            "catalog/instances/z1.48xlarge.yaml",
            "title: Z1 server\nextends: p4de.24xlarge\ngpu: z1\nnetwork: z1\n",
            "catalog/nccl/networks/z1.yaml",
            "title: NCCL on z1\nextends: p5\n");

    @TempDir
    private Path place;

    private FurtherJar jars;
    private Path further;

    @BeforeEach
    void makeJar() throws IOException {
        jars = new FurtherJar(place);
        Map<String, byte[]> files = new TreeMap<>();
        DATA.forEach((path, text) -> files.put(path, text.getBytes(StandardCharsets.UTF_8)));
        Path classes = jars.compile(Map.of("Borrowed", STRATEGY, "Hoop", COLLECTIVE));
        for (String name : List.of("Borrowed", "Hoop")) {
            files.put(
                    "elsewhere/" + name + ".class",
                    Files.readAllBytes(classes.resolve("elsewhere/" + name + ".class")));
        }
        further = jars.jar("further.jar", files);
    }

    @Test
    @Tag("slow")
    void aStrategyAndAnInstanceOfAFurtherJarRun() throws Exception {
        Path scenario = place.resolve("mine.yaml");
        Files.writeString(scenario, """
                scenario: mine
                model: gpt2-1.5b
                cluster: {instance: z1.48xlarge, nodes: 1}
                training: {sequence_length: 256, global_batch: 8, micro_batch: 1}
                strategy: {kind: borrowed, reduce_algorithm: hoop}
                """);
        FurtherJar.Outcome outcome =
                jars.shardsim(further, "run", scenario.toString(), "--out", place.toString(), "--json");

        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("\"strategy\" : \"borrowed\"", "\"instance\" : \"z1.48xlarge\"", "zeta is made up");
    }

    @Test
    @Tag("slow")
    void theCatalogListsWhatAFurtherJarHas() throws Exception {
        assertThat(jars.shardsim(further, "catalog", "z1").out()).contains("Z1", "NCCL on z1");
        assertThat(jars.shardsim(further, "catalog", "zeta").out()).contains("Zeta, kernel times", "NCCL on Zeta");
        assertThat(jars.shardsim(further, "catalog", "strategies", "borrowed").out())
                .contains("bucket_size: 50 MiB (Size of the gradients");
        assertThat(jars.shardsim(further, "catalog", "collectives").out()).contains("hoop");
    }

    @Test
    @Tag("slow")
    void aBrokenFileOfAFurtherJarIsToldWithItsPlace() throws Exception {
        further = jars.jar(
                "broken.jar",
                Map.of(
                        "catalog/instances/bad.yaml",
                        "title: Bad\ngpu: a100-80gb\nnics_per_node: {value: four, from: x}\n"
                                .getBytes(StandardCharsets.UTF_8)));
        FurtherJar.Outcome outcome = jars.shardsim(further, "catalog", "instances", "bad");

        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.err())
                .contains("catalog/instances/bad.yaml:3:24: nics_per_node four is a string; write a whole number")
                .contains("catalog/instances/bad.yaml:3:36: source x is not in the file's sources; add it")
                .contains("bad.yaml:1:1: entry has no network; add network: one of infiniband,")
                .doesNotContain("\tat ");
    }

    /** Read when the first point runs, on another thread. */
    @Test
    @Tag("slow")
    void aBrokenNetworkEndsARunAndAPlanAtItsPlace() throws Exception {
        further = jars.jar(
                "broken.jar",
                Map.of(
                        "catalog/instances/mine.yaml",
                        "title: Mine\nextends: p4de.24xlarge\nnetwork: bad\n".getBytes(StandardCharsets.UTF_8),
                        "catalog/nccl/networks/bad.yaml",
                        "title: [Bad]\nextends: p5\n".getBytes(StandardCharsets.UTF_8)));
        Path scenario = place.resolve("mine.yaml");
        Files.writeString(scenario, """
                scenario: mine
                model: gpt2-1.5b
                cluster: {instance: mine, nodes: 1}
                training: {sequence_length: 256, global_batch: 8, micro_batch: 1}
                strategy: {kind: ddp}
                """);
        for (String command : List.of("run", "plan", "what-if")) {
            FurtherJar.Outcome outcome = jars.shardsim(further, command, scenario.toString());

            assertThat(outcome.status()).as(command).isEqualTo(2);
            // On a busy machine the first progress line comes first.
            assertThat(outcome.err().lines().filter(line -> !line.contains(" so far, ")))
                    .as(command)
                    .containsExactly("catalog/nccl/networks/bad.yaml:1:8: title is a list; write a string");
        }
    }

    private static final String OWN = """
            class: elsewhere.Borrowed
            title: Own
            source: this test
            parameters:
              runtime_memory: {value: 1 GB, meaning: Memory., source: this test}
              fragmentation: {value: 15 %, meaning: Share., source: this test}
              framework_profile: {value: eager, meaning: Kernels., source: this test}
            """;

    /** Each row removes a line of the file, or replaces text in it. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource(delimiter = '|', textBlock = """
            class              |                  | 1:1: entry has no class; add class: the name of a Java class
            runtime_memory     |                  | 5:3: runtime_memory is missing, which every strategy needs; add it, with value: 1.2 GB
            fragmentation      |                  | 5:3: fragmentation is missing, which every strategy needs; add it, with value: 15 %
            framework_profile  |                  | 5:3: framework_profile is missing, which every strategy needs; add it, with value: eager
            15 %               | 15               | 6:26: value 15 is not a default; write a quantity with its unit, 4 ranks, 15 %, true, false or a name
            15 %               | 1 GB             | 6:26: fragmentation 1 GB is not written as this parameter is; write for example 15 %
            eager              | eagre            | 7:30: framework_profile eagre is not known; did you mean eager?
            elsewhere.Borrowed | elsewhere.Nobody | 1:8: class elsewhere.Nobody is not on the class path; add its jar to SHARDSIM_CLASSPATH
            elsewhere.Borrowed | java.lang.String | 1:8: class java.lang.String is not a public ShardingStrategy with a public constructor that takes StrategyParameters
            """)
    void aStrategyFileIsCheckedWhenTheCatalogIsRead(String text, @Nullable String other, String problem)
            throws Exception {
        String file = other == null ? OWN.replaceFirst("(?m)^ *" + text + ".*\\n", "") : OWN.replace(text, other);
        FurtherJar classes = new FurtherJar(Files.createDirectories(place.resolve("own")));
        Path compiled = classes.compile(Map.of("Borrowed", STRATEGY));
        Files.createDirectories(compiled.resolve("strategies"));
        Files.writeString(compiled.resolve("strategies/own.yaml"), file);
        FurtherJar.Outcome outcome = jars.shardsim(compiled, "catalog", "strategies", "ddp");

        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.err()).startsWith("strategies/own.yaml:" + problem);
    }

    @Test
    @Tag("slow")
    void aCollectiveThatLeavesTheGroupIsTold() throws Exception {
        String file = """
                name: rounds
                kinds: [all_gather]
                source: this test
                program:
                  all_gather:
                    - {rounds: log2 members, to: member ^ 2^round, send: all}
                """;
        further = jars.jar("rounds.jar", Map.of("collectives/rounds.yaml", file.getBytes(StandardCharsets.UTF_8)));
        FurtherJar.Outcome outcome = jars.shardsim(further, "catalog", "collectives");

        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.err())
                .startsWith("collectives/rounds.yaml:6:34: with 3 members, member 2 sends to 3 in round 0, which is"
                        + " outside of the group; add members: power_of_two");
    }
}
