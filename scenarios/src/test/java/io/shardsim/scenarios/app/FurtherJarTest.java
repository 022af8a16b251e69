package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies in somebody else's jar is found beside what ships: a strategy, a collective, an instance, a GPU and its constants. */
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
            "extends: ddp\nclass: elsewhere.Borrowed\ntitle: Borrowed\nsource: this test\nparameters:\n"
                    + "  bucket_size: {value: 50 MiB, source: this test}\n",
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

    private Path further;

    @BeforeEach
    void makeJar() throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        DATA.forEach((path, text) -> files.put(path, text.getBytes(StandardCharsets.UTF_8)));
        Path classes = compile(Map.of("Borrowed", STRATEGY, "Hoop", COLLECTIVE));
        for (String name : List.of("Borrowed", "Hoop")) {
            files.put(
                    "elsewhere/" + name + ".class",
                    Files.readAllBytes(classes.resolve("elsewhere/" + name + ".class")));
        }
        further = jar("further.jar", files);
    }

    @Test
    void aStrategyAndAnInstanceOfAFurtherJarRun() throws Exception {
        Path scenario = place.resolve("mine.yaml");
        Files.writeString(scenario, """
                scenario: mine
                model: gpt2-1.5b
                cluster: {instance: z1.48xlarge, nodes: 1}
                training: {sequence_length: 256, global_batch: 8, micro_batch: 1}
                strategy: {kind: borrowed, reduce_algorithm: hoop}
                """);
        Outcome outcome = shardsim("run", scenario.toString(), "--out", place.toString(), "--json");

        assertThat(outcome.status).as(outcome.err).isZero();
        assertThat(outcome.out)
                .contains("\"strategy\" : \"borrowed\"", "\"instance\" : \"z1.48xlarge\"", "zeta is made up");
    }

    @Test
    void theCatalogListsWhatAFurtherJarHas() throws Exception {
        assertThat(shardsim("catalog", "z1").out).contains("Z1", "NCCL on z1");
        assertThat(shardsim("catalog", "zeta").out).contains("Zeta, kernel times", "NCCL on Zeta");
        assertThat(shardsim("catalog", "strategies", "borrowed").out).contains("bucket_size: 50 MiB (Gradients");
        assertThat(shardsim("catalog", "collectives").out).contains("hoop");
    }

    @Test
    void aBrokenFileOfAFurtherJarIsToldWithItsPlace() throws Exception {
        further = jar(
                "broken.jar",
                Map.of(
                        "catalog/instances/bad.yaml",
                        "title: Bad\ngpu: a100-80gb\nnics_per_node: {value: four, from: x}\n"
                                .getBytes(StandardCharsets.UTF_8)));
        Outcome outcome = shardsim("catalog", "instances", "bad");

        assertThat(outcome.status).isEqualTo(1);
        assertThat(outcome.err)
                .contains("catalog/instances/bad.yaml:3:24: nics_per_node four is a text; write a whole number")
                .contains("catalog/instances/bad.yaml:3:36: source x is not among the file's sources; add it")
                .contains("bad.yaml:1:1: entry has no network; add network: one of infiniband,")
                .doesNotContain("\tat ");
    }

    private record Outcome(int status, String out, String err) {}

    /** The tool in a JVM of its own, as the launcher starts it. */
    private Outcome shardsim(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path") + System.getProperty("path.separator") + further,
                Main.class.getName()));
        command.addAll(List.of(arguments));
        Path out = place.resolve("out.txt");
        Path err = place.resolve("err.txt");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private Path compile(Map<String, String> sources) throws IOException {
        Path folder = Files.createDirectories(place.resolve("sources"));
        List<String> arguments = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"), "-d"));
        Path classes = Files.createDirectories(place.resolve("classes"));
        arguments.add(classes.toString());
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve(source.getKey() + ".java");
            Files.writeString(file, source.getValue());
            arguments.add(file.toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return classes;
    }

    /** With entries for its folders, as the jar tool and Maven write them. */
    private Path jar(String name, Map<String, byte[]> files) throws IOException {
        Path jar = place.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            List<String> folders = files.keySet().stream()
                    .map(path -> path.substring(0, path.lastIndexOf('/') + 1))
                    .distinct()
                    .toList();
            for (String folder : folders) {
                out.putNextEntry(new JarEntry(folder));
            }
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                out.putNextEntry(new JarEntry(file.getKey()));
                out.write(file.getValue());
            }
        }
        return jar;
    }
}
