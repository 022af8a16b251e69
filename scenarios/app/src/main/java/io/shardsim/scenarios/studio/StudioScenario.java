package io.shardsim.scenarios.studio;

import io.shardsim.scenarios.calibrating.Calibrator;
import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.exporting.Export;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A scenario from a page: its keys as JSON, with each value on its own line, so that problems can be attributed to keys. */
final class StudioScenario {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String NAME = "question";
    /** Maximum number of points checked before they run, for an immediate reply. */
    private static final int LOOKED_AT_MAX = 8;

    private final JsonNode keys;
    private final String text;

    StudioScenario(JsonNode keys) {
        this.keys = keys;
        text = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(keys);
    }

    /**
     * Returns what is known before anything runs: the scenario as YAML, its problems and their places, and an upper bound on the speed of its first
     * points.
     */
    Map<String, Object> look() {
        Map<String, Object> seen = new LinkedHashMap<>();
        List<Map<String, Object>> problems = new ArrayList<>();
        List<Map<String, Object>> points = new ArrayList<>();
        try {
            List<ScenarioPoint> all = ScenarioReader.readText(NAME, text).points();
            seen.put("runs", all.size());
            all.stream().limit(LOOKED_AT_MAX).forEach(point -> points.add(look(point)));
        } catch (InputException refused) {
            for (Problem problem : refused.problems()) {
                problems.add(Map.of("key", keyAt(problem.position()), "text", problem.message()));
            }
        }
        seen.put("yaml", yaml());
        seen.put("problems", problems);
        seen.put("points", points);
        return seen;
    }

    private static Map<String, Object> look(ScenarioPoint point) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("values", point.values());
        if (point.task() instanceof Task.Training training && training.microBatch() != null) {
            PointBounds prospect = PointBounds.of(point);
            seen.put("fits", prospect.fits());
            if (prospect.leastStepSeconds() > 0) {
                seen.put("at_most_samples_per_second", training.globalBatch() / prospect.leastStepSeconds());
            }
        }
        return seen;
    }

    /** Returns the dotted key on a position's line; empty for the whole file. */
    private String keyAt(Position place) {
        TreeMap<Integer, String> keyOfLine = new TreeMap<>();
        try (JsonParser parser = JSON.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.PROPERTY_NAME) {
                    String pointer = parser.streamReadContext().pathAsPointer().toString();
                    keyOfLine.putIfAbsent(
                            parser.currentTokenLocation().getLineNr(),
                            pointer.substring(1).replace('/', '.').replaceAll("\\.\\d+(?=\\.|$)", ""));
                }
            }
        }
        Map.Entry<Integer, String> entry = keyOfLine.floorEntry(place.line());
        return entry == null || place.line() <= 1 ? "" : entry.getValue();
    }

    private String yaml() {
        Map<String, Object> tree = new LinkedHashMap<>();
        keys.properties().forEach(entry -> tree.put(entry.getKey(), JSON.treeToValue(entry.getValue(), Object.class)));
        return Exporter.scenario(NAME, tree).files().get(0).text();
    }

    /** Returns one point as a framework's configuration, with the launch command, and what the files do not express. */
    Map<String, Object> export(Framework framework, int place) throws InputException {
        SweptFile file = SweptFile.readText(NAME, text);
        List<ScenarioPoint> points = ScenarioReader.readText(NAME, text).points();
        if (place < 0 || place >= points.size()) {
            throw new InputException(NAME, "has no point " + place + "; choose 0 to " + (points.size() - 1));
        }
        Export export = Exporter.export(
                framework, points.get(place), file.variations(place).file(Map.of()));
        Map<String, Object> written = new LinkedHashMap<>();
        written.put("files", export.files());
        written.put("launch", export.launch());
        written.put("notes", export.notes());
        written.put("lost", export.lost().stream().map(lost -> lost.line()).toList());
        return written;
    }

    /**
     * Returns the keys of a user's file: a scenario, or a framework's configuration. Recognizes nccl-tests logs, which the page calibrates.
     *
     * @param name name of the file; its extension gives the format
     */
    static Map<String, Object> read(String name, String text) throws InputException {
        if (Calibrator.reads(text)) {
            return Map.of("log", true);
        }
        OpenedFile opened = OpenedFile.text(name, text);
        Map<String, Object> read = new LinkedHashMap<>();
        if (opened.isScenario()) {
            read.put("scenario", opened.tree());
            read.put("notes", List.of());
            return read;
        }
        Imported imported = ScenarioImport.readText(name, text, Choices.NONE);
        read.put("scenario", imported.tree());
        read.put(
                "notes",
                imported.assumptions().stream()
                        .map(open -> open.key() + " " + open.value() + " is assumed: " + open.note())
                        .toList());
        return read;
    }
}
