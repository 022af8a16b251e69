package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The scenario of the page: its points, and the settings that can be changed. A choice on the page becomes a scenario point of its own, read and
 * checked like a file.
 */
public final class DemoScenario {
    private static final String BUILT_IN = "/demo/first.yaml";
    private static final String STRATEGY = "strategy";
    private static final String POINT = "point";
    private static final String KERNELS = "kernels";
    /** Maximum subjects named in a title; for a sweep over more models or instances, the first ones. */
    private static final int SUBJECTS_MAX = 3;

    private final String file;
    private final SweptFile swept;
    /** Index in the file of the first point. */
    private final int first;

    private final String lesson;
    private final String title;
    private final Scenario scenario;
    private final Knobs knobs;

    /**
     * @param file the text's name in messages
     * @throws InputException with every problem of the text
     */
    public DemoScenario(String file, String text) throws InputException {
        this(ScenarioReader.readText(file, text), SweptFile.readText(file, text), 0, null);
    }

    /** @param lesson lesson that the scenario belongs to */
    DemoScenario(String file, String text, Lesson lesson) throws InputException {
        this(ScenarioReader.readText(file, text), SweptFile.readText(file, text), 0, lesson);
    }

    /**
     * @param scenario all of a file, or one of its points
     * @param first index of its first point in the file, from 0
     */
    public DemoScenario(Scenario scenario, SweptFile swept, int first) {
        this(scenario, swept, first, null);
    }

    private DemoScenario(Scenario scenario, SweptFile swept, int first, @Nullable Lesson lesson) {
        file = scenario.file();
        this.scenario = scenario;
        this.swept = swept;
        this.first = first;
        this.lesson = lesson == null ? "" : lesson.id();
        title = lesson == null ? scenario.name() : lesson.title();
        knobs = Knobs.of(scenario.points());
    }

    /**
     * Opens a file, or the built-in one.
     *
     * @param file null for the built-in scenario
     */
    public static DemoScenario open(@Nullable String file) throws InputException {
        OpenedFile opened = file == null
                ? OpenedFile.stream(
                        BUILT_IN.substring(1),
                        Objects.requireNonNull(DemoScenario.class.getResourceAsStream(BUILT_IN), BUILT_IN))
                : OpenedFile.file(file);
        return new DemoScenario(ScenarioReader.read(opened, Overrides.NONE), SweptFile.of(opened, Overrides.NONE), 0);
    }

    public String name() {
        return scenario.name();
    }

    List<ScenarioPoint> points() {
        return scenario.points();
    }

    /** Returns what the page offers: points, the initial two, strategies, knobs. */
    Map<String, Object> offer(FirstSides sides) throws InputException {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("scenario", name());
        out.put("lesson", lesson);
        out.put("title", title);
        out.put("subject", subject());
        out.put("points", offeredPoints(sides));
        out.put("strategies", strategies());
        out.put("first", sides.first());
        if (sides.second() != null) {
            out.put("second", sides.second());
        }
        out.put("race", sides.lanes());
        out.put("knobs", knobs.all());
        return out;
    }

    private List<Map<String, Object>> offeredPoints(FirstSides sides) throws InputException {
        List<ScenarioPoint> points = points();
        List<String> words = words(Map.of());
        List<Map<String, Object>> offered = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("words", words.get(i));
            one.put("strategy", kind(points.get(i)));
            one.put("tooLarge", sides.knownNotToFit(i));
            offered.add(one);
        }
        return offered;
    }

    /** Returns the strategies to choose from; empty if nothing is trained. */
    private List<Map<String, String>> strategies() {
        List<Map<String, String>> strategies = new ArrayList<>();
        for (String kind : knobs.trains() ? Strategies.kinds() : List.<String>of()) {
            StrategyDescriptor descriptor = Strategies.descriptor(kind);
            strategies.add(
                    new TreeMap<>(Map.of("kind", kind, "title", descriptor == null ? kind : descriptor.title())));
        }
        return strategies;
    }

    /** Returns the strategy of a point; empty for a bare collective. */
    static String kind(ScenarioPoint point) {
        return point.task() instanceof Task.Training task ? task.strategy().kind() : "";
    }

    private String subject() {
        List<String> subjects =
                points().stream().map(DemoScenario::subject).distinct().toList();
        int more = subjects.size() - SUBJECTS_MAX;
        return more <= 0
                ? String.join("; ", subjects)
                : String.join("; ", subjects.subList(0, SUBJECTS_MAX)) + " and " + more + " more";
    }

    private static String subject(ScenarioPoint point) {
        String instance = point.cluster().instance().name();
        return what(point.task()) + " on " + (instance.equals("inline") ? "the cluster of the file" : instance);
    }

    private static String what(Task task) {
        if (!(task instanceof Task.Training training)) {
            return ((Task.Collective) task).kind().id();
        }
        return training.modelName().equals("inline")
                ? training.model().layers() + " layers, hidden "
                        + training.model().hidden() + ","
                : training.modelName();
    }

    /**
     * Returns the point of a choice.
     *
     * @param choice index of a point as {@code point}, another strategy as {@code strategy}, a profile of kernels, and values of knobs by ID; missing
     *     entries are as in the file
     * @throws InputException when the choice is not offered, or inconsistent
     */
    public ScenarioPoint point(Map<String, String> choice) throws InputException {
        int index = index(choice.getOrDefault(POINT, "0"));
        Map<String, String> changes = changes(index, choice);
        return changes.isEmpty()
                ? points().get(index)
                : swept.point(first + index, changes)
                        .withValues(PointWords.changed(points().get(index).values(), changes));
    }

    /** Returns a point of the file with some values changed. */
    ScenarioPoint changed(int index, Map<String, String> changes) throws InputException {
        return swept.point(first + index, changes);
    }

    /**
     * Returns each point's distinguishing name, with a choice applied.
     *
     * @param choice a choice as in {@link #point}; its strategy applies only to its own point
     */
    List<String> words(Map<String, String> choice) throws InputException {
        Map<String, String> knobsAlone = new LinkedHashMap<>(choice);
        knobsAlone.remove(STRATEGY);
        List<Map<String, Object>> all = new ArrayList<>();
        for (int i = 0; i < points().size(); i++) {
            boolean chosen = String.valueOf(i).equals(choice.get(POINT));
            all.add(PointWords.changed(points().get(i).values(), changes(i, chosen ? choice : knobsAlone)));
        }
        return PointWords.distinct(all).stream()
                .map(words -> words.isEmpty() ? name() : words)
                .toList();
    }

    private Map<String, String> changes(int index, Map<String, String> choice) throws InputException {
        ScenarioPoint point = points().get(index);
        String kind = offered(
                STRATEGY,
                choice.getOrDefault(STRATEGY, kind(point)),
                knobs.trains() ? Strategies.kinds() : List.of(""));
        Map<String, String> turned = new LinkedHashMap<>();
        for (Knob knob : knobs.all()) {
            String value = offered(knob.id(), choice.getOrDefault(knob.id(), knob.chosen()), knob.values());
            if (!value.equals(knob.chosen())) {
                turned.put(knob.id(), value);
            }
        }
        Map<String, String> changes = new LinkedHashMap<>(knobs.changes(point, kind, turned));
        if (choice.containsKey(KERNELS)) {
            changes.put("training.kernels", choice.get(KERNELS));
        }
        return changes;
    }

    private int index(String asked) throws InputException {
        if (!asked.matches("\\d{1,5}") || Integer.parseInt(asked) >= points().size()) {
            throw new InputException(file, "has no point " + asked + "; choose 0 to " + (points().size() - 1));
        }
        return Integer.parseInt(asked);
    }

    private String offered(String id, String value, List<String> values) throws InputException {
        if (!values.contains(value)) {
            throw new InputException(file, id + " is not offered; choose one of " + values);
        }
        return value;
    }
}
