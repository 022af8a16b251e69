package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlReader;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a scenario as YAML, one value per line, and records the fact of each line. */
final class ScenarioText {
    private static final List<String> LEFT_OPEN =
            List.of("attention: flash", "attention: standard", "precision: bf16", "activation_checkpointing: full");

    private final StringBuilder text = new StringBuilder();
    private final Map<Integer, Fact> factOfLine = new LinkedHashMap<>();
    private final Map<String, Fact> facts = new LinkedHashMap<>();
    private final Map<String, Object> tree = new LinkedHashMap<>();
    private int lines;

    void comment(String words) {
        line("# " + YamlReader.printable(words), null);
    }

    void value(String key, Fact fact) {
        line(key + ": " + written(fact.value()) + remark(fact), fact);
        facts.put(key, fact);
        tree.put(key, fact.value());
    }

    /** Writes a list of names on one line. */
    void list(String key, List<String> names) {
        List<String> quoted = names.stream()
                .map(name -> name.matches("[A-Za-z][\\w.-]*") ? name : "'" + name.replace("'", "''") + "'")
                .toList();
        line(key + ": " + quoted, null);
        tree.put(key, names);
    }

    /** Writes a block. Assumed values that are a scenario's defaults are written as comments only, so that a framework release can set them. */
    void block(String name, Map<String, Fact> values) {
        line(name + ":", null);
        Map<String, Object> inside = new LinkedHashMap<>();
        values.forEach((key, fact) -> {
            String said = key + ": " + written(fact.value());
            boolean open = fact.rank() == Fact.Rank.ASSUMED && LEFT_OPEN.contains(said);
            line(open ? "  # " + said + ", assumed: " + fact.note() : "  " + said + remark(fact), open ? null : fact);
            facts.put(name + "." + key, fact);
            if (!open) {
                inside.put(key, fact.value());
            }
        });
        tree.put(name, inside);
    }

    private void line(String line, @Nullable Fact fact) {
        lines++;
        text.append(line).append('\n');
        if (fact != null) {
            factOfLine.put(lines, fact);
        }
    }

    private static String written(Object value) {
        return value instanceof Double number
                ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString()
                : String.valueOf(value);
    }

    private static String remark(Fact fact) {
        return switch (fact.rank()) {
            case ASSUMED -> "  # assumed: " + fact.note();
            case DEFAULT -> "  # " + fact.note();
            case GIVEN, CHOSEN ->
                fact.key() == null || fact.key().assumed() == null
                        ? ""
                        : "  # assumed: " + fact.key().assumed();
        };
    }

    /** The fact on a line of the text. */
    @Nullable
    Fact factAt(int line) {
        return factOfLine.get(line);
    }

    /** The scenario key for a foreign key; the foreign key's own name if there is none. */
    String nameOf(ForeignKey key, KeyTable.Entry entry) {
        String noted = entry.note().replaceFirst("[ ,;].*", "");
        return facts.entrySet().stream()
                .filter(each -> each.getValue().key() == key && each.getValue().rank() == Fact.Rank.GIVEN)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(facts.containsKey(noted) ? noted : key.verdict().key());
    }

    /** The facts by dotted key, in the order of the text. */
    Map<String, Fact> facts() {
        return facts;
    }

    /** The content of the scenario, as if parsed. */
    Map<String, Object> tree() {
        return tree;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
