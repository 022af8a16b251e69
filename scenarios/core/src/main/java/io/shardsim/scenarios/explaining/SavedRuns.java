package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.Setting;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads runs that an earlier command wrote to {@code results.json}; seconds are unrounded. */
final class SavedRuns {
    private static final String FILE = "results.json";
    private static final int PICO_DIGITS = 12;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final RunName name;

    private SavedRuns(RunName name) {
        this.name = name;
    }

    /** Returns whether a name refers to results: a folder, or a JSON file. */
    static boolean isMeant(RunName name) {
        return name.file().endsWith(".json") || Files.isDirectory(path(name.file()));
    }

    private static Path path(String file) {
        try {
            return Path.of(file);
        } catch (InvalidPathException noPath) {
            return Path.of("");
        }
    }

    /** @throws InputException if there are no such results */
    static ComparedRun read(RunName name) throws InputException {
        try {
            return new SavedRuns(name).chosen();
        } catch (IllegalStateException | ArithmeticException | IllegalArgumentException | JacksonException broken) {
            throw new InputException(name.file(), "has a run that does not add up; run it again");
        }
    }

    private ComparedRun chosen() throws InputException {
        JsonNode document = document();
        String version = document.path("version").asString(ResultsJson.version());
        if (!version.equals(ResultsJson.version())) {
            throw refused("is from shardsim " + version + ", and this is " + ResultsJson.version()
                    + "; run its scenario again");
        }
        JsonNode runs = document.path("runs");
        if (!runs.isArray() || runs.isEmpty()) {
            throw refused("has no runs; name a results.json or its folder");
        }
        List<Map<String, String>> points = new ArrayList<>();
        for (JsonNode run : runs) {
            Map<String, String> values = new LinkedHashMap<>();
            run.path("point").properties().forEach(entry -> add(entry.getKey(), entry.getValue(), values));
            points.add(values);
        }
        return run(runs.get(name.place(points)));
    }

    private static void add(String key, JsonNode value, Map<String, String> into) {
        if (value.isObject()) {
            value.properties().forEach(entry -> add(key + "." + entry.getKey(), entry.getValue(), into));
        } else {
            into.put(key, value.asString());
        }
    }

    private JsonNode document() throws InputException {
        Path path = path(name.file());
        Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
        try {
            return MAPPER.readTree(Files.readAllBytes(file));
        } catch (NoSuchFileException missing) {
            throw refused(
                    file.equals(path) ? "no such file" : "holds no " + FILE + "; name the report folder of a run");
        } catch (IOException unreadable) {
            throw refused("cannot be read (" + unreadable.getMessage() + ")");
        } catch (JacksonException broken) {
            throw refused("is not JSON (" + YamlReader.printable(String.valueOf(broken.getOriginalMessage())) + ")");
        }
    }

    private InputException refused(String message) {
        return new InputException(name.file(), message);
    }

    private ComparedRun run(JsonNode run) throws InputException {
        if (!run.has("strategy_label")) {
            throw refused("is a bare collective and has no step to split; name a training run");
        }
        boolean fits = RunResult.Status.OK.id().equals(run.path("status").asString());
        Map<String, Setting> settings = new LinkedHashMap<>();
        run.path("settings")
                .properties()
                .forEach(entry -> settings.put(
                        entry.getKey(),
                        new Setting(
                                entry.getKey(),
                                entry.getValue().path("value").asString(),
                                Setting.Origin.valueOf(entry.getValue()
                                        .path("origin")
                                        .asString()
                                        .toUpperCase(Locale.ROOT)))));
        return new ComparedRun(
                name.written(),
                ComparedRun.label(
                        run.path("strategy_label").asString(), run.path("gpus").intValue()),
                settings,
                fits
                        ? new ComparedRun.Timed(
                                breakdown(run),
                                Math.multiplyExact(
                                        run.path("global_batch").longValue(),
                                        run.path("sequence_length").longValue()),
                                run.path("samples_per_second").doubleValue(),
                                run.path("digest").asString())
                        : null,
                fits ? "" : run.path("next").asString());
    }

    private static StepBreakdown breakdown(JsonNode run) {
        JsonNode parts = run.path("breakdown");
        Map<Work.Kind, Long> work = new EnumMap<>(Work.Kind.class);
        for (Work.Kind kind : Work.Kind.values()) {
            long ps = ps(parts.path("work_seconds").path(Names.id(kind)));
            if (ps != 0) {
                work.put(kind, ps);
            }
        }
        Map<Stream, Long> exposed = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            exposed.put(stream, ps(parts.path("exposed_seconds").path(Names.id(stream))));
        }
        return new StepBreakdown(
                ps(run.path("step_seconds")),
                work,
                ps(parts.path("slowdown_seconds")),
                exposed,
                ps(parts.path("idle_seconds")));
    }

    /** Returns picoseconds; 0 if the document has no such figure. */
    private static long ps(JsonNode seconds) {
        return seconds.isMissingNode() || seconds.isNull()
                ? 0
                : seconds.decimalValue().movePointRight(PICO_DIGITS).longValueExact();
    }
}
