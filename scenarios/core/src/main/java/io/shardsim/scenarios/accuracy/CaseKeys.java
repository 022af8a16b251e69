package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.KnownSetting;
import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.catalog.CatalogKeys;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Keys of a file of reference cases. */
final class CaseKeys {
    private static final ValueType TEXT = ScalarTypes.text("(?s).{1,2000}", "a string");

    private static final BlockType MEASURED = new BlockType(measured(), false).suchAs("{samples_per_second: 73.52}");

    private static final BlockType CASE = new BlockType(
                    CatalogKeys.FILE.keys(
                            "case",
                            Map.of(
                                    "name",
                                    KnownSetting.NAME,
                                    "text",
                                    TEXT,
                                    "framework",
                                    ScenarioKeys.FRAMEWORK,
                                    "scenario",
                                    new AnyBlock(),
                                    "measured",
                                    MEASURED)),
                    false)
            .withExpected("a block with id, source, role, scenario, measured");

    /** Type of a file of cases. */
    static final BlockType FILE = BlockType.of(Key.required("cases", new ListType(CASE, "case"), "the cases"))
            .withExpected("a block with cases");

    private CaseKeys() {}

    private static List<Key> measured() {
        List<Key> keys = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            keys.add(Key.optional(metric.id(), ScalarTypes.decimal(0, 1e18), "published figure"));
        }
        keys.add(Key.optional(
                ReferenceCase.FITS, ScalarTypes.flag(), "false where the published run ran out of memory"));
        return keys;
    }

    /** A scenario block, read later as its own file. */
    private record AnyBlock() implements ValueType {
        @Override
        public Object read(YamlNode node, String key, Problems problems) {
            return node;
        }

        @Override
        public String expected() {
            return "a scenario";
        }

        @Override
        public Map<String, Object> schema() {
            return ScenarioKeys.FILE.schema();
        }
    }
}
