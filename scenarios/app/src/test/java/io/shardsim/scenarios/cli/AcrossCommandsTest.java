package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.scenario.Overrides;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each command takes: the same words mean the same in all of them. */
class AcrossCommandsTest {
    private static final String SWEEP = """
            scenario: words
            model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 512, global_batch: 16, micro_batch: 1}
            strategy: {kind: zero3}
            sweep: {strategy.kind: [zero3, fsdp], training.attention: [standard, flash]}
            """;

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());
    private String file = "";

    @BeforeEach
    void write() throws Exception {
        file = Files.writeString(folder.resolve("words.yaml"), SWEEP).toString();
    }

    /** One run of the four: by number, by value, by keys that are set, and by keys without their block. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource(
            delimiter = '|',
            value = {
                "run           | #4                             | ",
                "run           | #kind=fsdp,attention=flash     | ",
                "run           |                                | strategy.kind=fsdp training.attention=flash",
                "run           | #kind=fsdp                     | attention=flash",
                "plan          | #4                             | ",
                "plan          | #kind=fsdp,attention=flash     | ",
                "plan          |                                | strategy.kind=fsdp training.attention=flash",
                "plan          | #kind=fsdp                     | attention=flash",
                "compare       | #4                             | ",
                "compare       | #kind=fsdp,attention=flash     | ",
                "compare       |                                | strategy.kind=fsdp training.attention=flash",
                "compare       | #kind=fsdp                     | attention=flash",
                "what-if       | #4                             | ",
                "what-if       | #kind=fsdp,attention=flash     | ",
                "what-if       |                                | strategy.kind=fsdp training.attention=flash",
                "what-if       | #kind=fsdp                     | attention=flash",
                "explain       | #4                             | ",
                "explain       | #kind=fsdp,attention=flash     | ",
                "explain       |                                | strategy.kind=fsdp training.attention=flash",
                "explain       | #kind=fsdp                     | attention=flash",
                "critical-path | #4                             | ",
                "critical-path | #kind=fsdp,attention=flash     | ",
                "critical-path |                                | strategy.kind=fsdp training.attention=flash",
                "critical-path | #kind=fsdp                     | attention=flash"
            })
    void eachCommandTakes(String command, String selector, String settings) {
        String name = file + (selector == null ? "" : selector);
        List<String> words = new ArrayList<>(List.of(command, name, "--json"));
        if (command.equals("compare")) {
            words.add(2, name);
        } else if (command.equals("explain")) {
            words.addAll(List.of("--measured", "500000 tokens/s/GPU"));
        } else if (command.equals("run")) {
            words.addAll(List.of("--out", folder.resolve("out").toString()));
        }
        Stream.of(settings == null ? new String[0] : settings.split(" "))
                .forEach(setting -> words.addAll(List.of("--set", setting)));
        assertThat(shell.shardsim(words.toArray(String[]::new))).as(shell.err()).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).containsIgnoringCase("fsdp").doesNotContain("zero3\"", "DeepSpeed ZeRO-3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'#4' |",
                "'#kind=fsdp,attention=flash' |",
                "| strategy.kind=fsdp",
                "'#kind=fsdp' | attention=flash"
            })
    void theDemoTakesThem(String selector, String setting) throws Exception {
        RunName name = RunName.of(file + (selector == null ? "" : selector));
        Overrides overrides = Overrides.of("--set", setting == null ? List.of() : List.of(setting));
        assertThat(ScenarioFiles.demo(name, overrides).point(Map.of()).given()).containsEntry("strategy.kind", "fsdp");
        assertThat(shell.shardsim("demo", "--help")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("--set");
    }

    /** A library name, and its path from another folder. */
    @ParameterizedTest
    @CsvSource({"lesson-1-sharding", "lesson-1-sharding.yaml", "scenarios/library/lesson-1-sharding.yaml"})
    void theLibraryHasOneNameAnywhere(String name) throws Exception {
        RunName one = RunName.of(name + "#1");
        assertThat(ScenarioFiles.demo(one, Overrides.NONE).name()).isEqualTo("lesson-1-sharding");
        assertThat(ScenarioFiles.variations(one, Overrides.NONE).sets("strategy.kind"))
                .isTrue();
        assertThat(ScenarioFiles.swept(one.file(), Overrides.NONE).values()).hasSizeGreaterThan(1);
        assertThat(ScenarioFiles.read(List.of(name + "#1"), Overrides.NONE, new ArrayList<>()))
                .singleElement()
                .satisfies(scenario -> assertThat(scenario.points()).hasSize(1));
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "training.attention",
        "attention",
        "activation_checkpointing",
        "framework_profile",
        "strategy",
        "'attention,kind'"
    })
    void planFreesWhatIsGivenOrFreeAlready(String key) {
        assertThat(shell.shardsim("plan", file, "--free", key, "--max-nodes", "1", "--json"))
                .as(shell.err())
                .isEqualTo(ExitStatus.DONE);
    }

    /** A sweep of blocks keeps those that have the value; a search does not go on over what is given. */
    @Test
    void whatIsSetIsPinned() throws Exception {
        String blocks = Files.writeString(
                        folder.resolve("blocks.yaml"),
                        SWEEP.replaceFirst(
                                "sweep: .*", "sweep: {strategy: [{kind: zero3}, {kind: mics, shard_group: 8}]}"))
                .toString();
        assertThat(ScenarioFiles.read(List.of(blocks), Overrides.of("--set", List.of("kind=mics")), new ArrayList<>()))
                .singleElement()
                .satisfies(one -> assertThat(one.points())
                        .singleElement()
                        .satisfies(point -> assertThat(point.given()).containsEntry("strategy.shard_group", 8L)));
        String search = Files.writeString(
                        folder.resolve("search.yaml"),
                        SWEEP.replaceFirst("sweep: .*", "search: {strategy.kind: [zero3, mics]}"))
                .toString();
        assertThat(ScenarioFiles.variations(RunName.of(search), Overrides.of("--set", List.of("kind=fsdp")))
                        .lists())
                .doesNotContainKey("strategy.kind");
    }

    @Test
    @Tag("slow")
    void whatIsNotModelledIsSaidByItsName() throws Exception {
        Properties names = new Properties();
        names.load(AcrossCommandsTest.class.getResourceAsStream("/catalog/not-modelled.properties"));
        assertThat(names.stringPropertyNames())
                .hasSizeGreaterThan(20)
                .contains("dora", "moe", "num_experts", "quantization", "ulysses", "dualpipe", "fp4");
        for (String name : names.stringPropertyNames()) {
            assertThat(shell.shardsim("run", file, "--set", name + "=2")).isEqualTo(ExitStatus.USAGE);
            assertThat(shell.err()).as(name).contains(name + " is not modelled; closest supported: ");
        }
        for (String setting : List.of("strategy.ulysses=8", "kind=dora", "precision=fp4", "model=moe")) {
            for (String command : List.of("run", "plan", "what-if", "critical-path")) {
                assertThat(shell.shardsim(command, file, "--set", setting)).isEqualTo(ExitStatus.USAGE);
                assertThat(shell.err())
                        .as(command + " " + setting)
                        .contains("is not modelled; closest supported: ")
                        .doesNotContain("did you mean");
            }
        }
    }
}
