package io.shardsim.scenarios.importing;

import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.importing.Imported.Assumption;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Formats an import for people and programs. */
public final class ImportReport {
    /** Order of verdicts, most important first. */
    private static final List<Verdict> ORDER = List.of(
            Verdict.DECIDES_THE_ANSWER,
            Verdict.NOT_MODELLED,
            Verdict.APPROXIMATED,
            Verdict.MODELLED,
            Verdict.IRRELEVANT);

    private ImportReport() {}

    /** The scenario file, with the verdicts on all keys as comments below it. */
    public static String yaml(Imported imported, int width) {
        StringBuilder text = new StringBuilder(imported.text());
        imported.titles().forEach((file, title) -> {
            text.append('\n').append(wrapped(YamlReader.printable(file) + ", " + title + ":", "# ", width));
            for (Verdict verdict : ORDER) {
                List<KeyVerdict> keys = imported.keys().stream()
                        .filter(key -> key.file().equals(file) && key.verdict() == verdict)
                        .toList();
                text.append(verdict == Verdict.IRRELEVANT ? irrelevant(keys, width) : lines(keys, width));
            }
        });
        return text.toString();
    }

    private static String lines(List<KeyVerdict> keys, int width) {
        StringBuilder lines = new StringBuilder();
        for (KeyVerdict key : keys) {
            lines.append(wrapped(
                    key.verdict().words() + ": " + key.key() + " = " + written(key.value()) + ": " + key.note(),
                    "#   ",
                    width));
        }
        return lines.toString();
    }

    /** Irrelevant keys, grouped by note. */
    private static String irrelevant(List<KeyVerdict> keys, int width) {
        Map<String, List<String>> names = new LinkedHashMap<>();
        keys.forEach(key ->
                names.computeIfAbsent(key.note(), note -> new ArrayList<>()).add(key.key()));
        StringBuilder lines = new StringBuilder();
        names.forEach((note, each) ->
                lines.append(wrapped("irrelevant to speed: " + String.join(", ", each) + ": " + note, "#   ", width)));
        return lines.toString();
    }

    private static String wrapped(String text, String indent, int width) {
        return new Paragraphs(width).item(indent, YamlReader.oneLineOf(text)).toString();
    }

    private static String written(YamlNode value) {
        if (value instanceof Scalar scalar) {
            return YamlReader.printable(scalar.text());
        }
        if (value instanceof Sequence list) {
            List<String> items = new ArrayList<>();
            list.items().stream().limit(8).forEach(item -> items.add(written(item)));
            return "[" + String.join(", ", items) + (list.items().size() > 8 ? ", ..." : "") + "]";
        }
        return "{}";
    }

    /** A short summary of the keys, with one line per assumption. */
    public static List<String> summary(Imported imported) {
        List<String> counts = new ArrayList<>();
        for (Verdict verdict : ORDER) {
            long count = imported.keys().stream()
                    .filter(key -> key.verdict() == verdict)
                    .count();
            if (count > 0 || verdict != Verdict.DECIDES_THE_ANSWER) {
                counts.add(count + " " + verdict.words() + (verdict == Verdict.IRRELEVANT ? " to speed" : ""));
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(imported.keys().size() + " keys: " + String.join(", ", counts));
        imported.keys().stream()
                .filter(key -> key.verdict() == Verdict.DECIDES_THE_ANSWER
                        || key.verdict() == Verdict.NOT_MODELLED
                                && (key.note().startsWith("slows the job")
                                        || key.note().contains("did you mean"))
                        || key.note().startsWith("overridden by "))
                .forEach(key -> lines.add(
                        key.verdict().words() + ": " + key.key() + " = " + written(key.value()) + ": " + key.note()));
        for (Assumption each : imported.assumptions()) {
            lines.add("assumed " + each.key() + ": " + each.value() + " (" + each.note() + ")");
        }
        return lines;
    }

    /** One JSON document: {@code scenario}, {@code keys} and {@code assumptions}. */
    public static String json(Imported imported) {
        JsonObject document = new JsonObject().with("scenario", imported.tree());
        if (imported.tree().containsKey(ScenarioImport.ACCEPTED)) {
            document.with("answers_the_question", false);
        }
        document.list(
                        "keys",
                        imported.keys(),
                        key -> new JsonObject()
                                .with("file", key.file())
                                .with("key", key.key())
                                .with("value", value(key.value()))
                                .with("verdict", key.verdict().words())
                                .with("note", key.note()))
                .list(
                        "assumptions",
                        imported.assumptions(),
                        each -> new JsonObject()
                                .with("key", each.key())
                                .with("value", each.value())
                                .with("note", each.note()));
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(lines))
                        .build()
                        .writeValueAsString(document)
                + "\n";
    }

    /** The value as JSON; numbers out of range of JSON readers stay strings. */
    private static @Nullable Object value(YamlNode node) {
        if (node instanceof Sequence list) {
            List<@Nullable Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(value(item)));
            return items;
        }
        if (node instanceof Mapping block) {
            Map<String, @Nullable Object> inside = new LinkedHashMap<>();
            for (Entry entry : block.entries()) {
                inside.put(entry.key(), value(entry.value()));
            }
            return inside;
        }
        Scalar scalar = (Scalar) node;
        if (scalar.isNull()) {
            return null;
        }
        if (scalar.isFlag()) {
            return scalar.text().equals("true");
        }
        return scalar.isNumber() ? number(scalar.text()) : scalar.text();
    }

    private static Object number(String text) {
        try {
            BigDecimal value = new BigDecimal(text);
            return Math.abs((long) value.scale()) <= 60 ? value : text;
        } catch (NumberFormatException beyondInt) {
            return text;
        }
    }
}
