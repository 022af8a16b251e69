package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configurations found in public repositories: their verdicts, and a scenario that resolves. */
class RealConfigurationsTest {
    private static final Path FILES = Path.of("frameworks/src/test/resources/corpus");
    private static final ValueType TEXT = ScalarTypes.text("(?s).*", "a text");
    private static final BlockType CASE = BlockType.of(
            Key.required("name", TEXT, "what it is called here"),
            Key.required("source", TEXT, "where it was found"),
            Key.required("files", new ListType(TEXT, "file"), "files beside the list"),
            Key.optional("choices", BlockType.openWith(), "what the command line adds"),
            Key.optional("says", BlockType.openWith(), "values of the scenario"),
            Key.optional("verdicts", BlockType.openWith(), "verdicts of keys"),
            Key.optional("refuses", TEXT, "part of the problem that it is"));
    private static final BlockType LIST =
            BlockType.of(Key.required("cases", new ListType(CASE, "case"), "all of them"));

    record Case(
            String name,
            List<String> files,
            Map<String, String> choices,
            Map<String, String> says,
            Map<String, String> verdicts,
            @Nullable String refuses) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> cases() throws IOException, InputException {
        Problems problems = new Problems("cases.yaml");
        YamlNode root = YamlReader.readText(Files.readString(FILES.resolve("cases.yaml")), problems);
        Block list = root == null ? null : LIST.readBlock(root, "list", problems);
        problems.throwIfAny();
        List<Case> cases = new ArrayList<>();
        for (Object each : list == null ? List.of() : (List<?>) list.value("cases")) {
            Block block = (Block) each;
            List<String> files = new ArrayList<>();
            ((List<?>) block.value("files"))
                    .forEach(file -> files.add(FILES.resolve((String) file).toString()));
            cases.add(new Case(
                    block.text("name", ""),
                    files,
                    texts(block.block("choices")),
                    texts(block.block("says")),
                    texts(block.block("verdicts")),
                    block.text("refuses")));
        }
        return cases;
    }

    private static Map<String, String> texts(@Nullable Block block) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (block != null) {
            block.others().forEach(entry -> texts.put(entry.key(), ((YamlNode.Scalar) entry.value()).text()));
        }
        return texts;
    }

    static Choices choices(Map<String, String> texts) {
        return new Choices(
                null,
                texts.get("model"),
                texts.get("instance"),
                number(texts.get("nodes")),
                number(texts.get("sequence_length")),
                texts.containsKey("accept") ? List.of(texts.get("accept").split(" ")) : List.of());
    }

    private static @Nullable Long number(@Nullable String text) {
        return text == null ? null : Long.valueOf(text);
    }

    static Stream<Case> imported() throws IOException, InputException {
        return cases().stream().filter(each -> each.refuses() == null);
    }

    static Stream<Case> refused() throws IOException, InputException {
        return cases().stream().filter(each -> each.refuses() != null);
    }

    @ParameterizedTest
    @MethodSource("imported")
    void comesToTheExpectedScenarioAndVerdicts(Case one) throws InputException {
        Imported imported = ScenarioImport.read(one.files(), choices(one.choices()));
        one.says()
                .forEach((key, value) -> assertThat(plain(said(imported, key)))
                        .as(key + " of\n" + imported.text())
                        .isEqualTo(plain(value)));
        Map<String, String> verdicts = new LinkedHashMap<>();
        imported.keys().forEach(key -> verdicts.put(key.key(), key.verdict().words()));
        assertThat(verdicts).containsAllEntriesOf(one.verdicts());
        assertThat(imported.keys()).allSatisfy(key -> assertThat(key.note()).isNotBlank());
        Scenario scenario = ScenarioReader.readText(one.name(), ImportReport.yaml(imported, 100));
        assertThat(scenario.points()).hasSize(1);
    }

    /** The value, or what is assumed and left to a release. */
    private static Object said(Imported imported, String key) {
        return imported.assumptions().stream()
                .filter(each -> each.key().equals(key))
                .map(Imported.Assumption::value)
                .findFirst()
                .orElseGet(() -> at(imported.tree(), key));
    }

    private static Object at(Map<String, Object> tree, String key) {
        int dot = key.indexOf('.');
        Object value = tree.get(dot < 0 ? key : key.substring(0, dot));
        return dot < 0 || !(value instanceof Map<?, ?> inside)
                ? String.valueOf(value)
                : String.valueOf(inside.get(key.substring(dot + 1)));
    }

    private static Object plain(Object value) {
        String text = String.valueOf(value);
        return text.matches("-?\\d+(\\.\\d+)?") ? new BigDecimal(text).stripTrailingZeros() : text;
    }

    @ParameterizedTest
    @MethodSource("refused")
    void saysWhatIsNotModelled(Case one) {
        assertThatThrownBy(() -> ScenarioImport.read(one.files(), choices(one.choices())))
                .isInstanceOf(InputException.class)
                .hasMessageContaining(one.refuses())
                .hasMessageMatching("(?s)\\S+:\\d+:\\d+: .*");
    }

    @Test
    void thereAreMoreThanAHundred() throws IOException, InputException {
        assertThat(cases()).hasSizeGreaterThanOrEqualTo(100);
    }
}
