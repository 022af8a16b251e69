package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scenario arguments of a command: files, library names, stdin, or texts in a {@link Request}. */
final class ScenarioFiles {
    /** The argument that means stdin. */
    static final String STANDARD_INPUT = "-";
    /** Its name in messages and scenarios. */
    static final String STANDARD_INPUT_NAME = "standard input";

    /** Set by the launcher. Only it can see whether stdin is closed: a JVM reuses that descriptor for files it opens. */
    private static final String STANDARD_INPUT_STATE = "shardsim.stdin";

    private static final String CLOSED = "closed";

    private ScenarioFiles() {}

    /** Reads all of them; problems of each are added to the list. */
    static List<Scenario> read(List<String> names, Overrides overrides, List<Problem> problems) {
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : names) {
            try {
                scenarios.add(read(name, overrides));
            } catch (InputException refused) {
                problems.addAll(problems(RunName.of(name).file(), refused));
            }
        }
        return scenarios;
    }

    private static Scenario read(String written, Overrides overrides) throws InputException {
        RunName name = RunName.of(written);
        Scenario scenario = ScenarioReader.read(open(name.file()), overrides);
        return name.choice() == null
                ? scenario
                : scenario.only(name.place(
                        scenario.points().stream().map(ScenarioPoint::values).toList()));
    }

    /** Opens a run for the demo. */
    static DemoScenario demo(RunName name, Overrides overrides) throws InputException {
        OpenedFile opened = open(name.file());
        Scenario scenario = ScenarioReader.read(opened, overrides);
        SweptFile file = SweptFile.of(opened, overrides);
        return name.choice() == null
                ? new DemoScenario(scenario, file, 0)
                : new DemoScenario(scenario.only(name.place(file.values())), file, name.place(file.values()));
    }

    /** Opens a scenario for a search. */
    static Variations variations(RunName name, Overrides overrides) throws InputException {
        OpenedFile opened = open(name.file());
        if (name.choice() == null) {
            return Variations.of(opened, overrides);
        }
        SweptFile file = SweptFile.of(opened, overrides);
        return file.variations(name.place(file.values()));
    }

    /** Opens a scenario once, with some values overridden. */
    static SweptFile swept(String name, Overrides overrides) throws InputException {
        return SweptFile.of(open(name), overrides);
    }

    /** Opens a file, with a message if that takes long. */
    static OpenedFile open(String name) throws InputException {
        try (Waiting waiting = Waiting.on(List.of(name))) {
            return opened(name);
        }
    }

    private static OpenedFile opened(String name) throws InputException {
        String given = text(name);
        if (given != null) {
            return OpenedFile.text(name, given);
        }
        if (name.equals(STANDARD_INPUT)) {
            if (CLOSED.equals(System.getProperty(STANDARD_INPUT_STATE))) {
                throw new InputException(List.of(new Problem(
                        STANDARD_INPUT_NAME, Position.NONE, "stdin is closed; name a file, or pipe a scenario in")));
            }
            return OpenedFile.stream(STANDARD_INPUT_NAME, System.in);
        }
        String inLibrary = name.replaceFirst("\\.yaml$", "").replaceFirst("^(.*/)?library/", "");
        if (!inLibrary.matches("[A-Za-z0-9][A-Za-z0-9._-]*") || new File(name).exists()) {
            return OpenedFile.file(name);
        }
        try (InputStream text = Library.open(inLibrary)) {
            if (text != null) {
                return OpenedFile.stream("library/" + inLibrary + ".yaml", text);
            }
        } catch (IOException failure) {
            throw new InputException(name, "cannot be read (" + failure.getMessage() + ")");
        }
        throw new InputException(
                List.of(new Problem(name, Position.NONE, "no such file or library scenario; " + nearest(inLibrary))));
    }

    /** Whether the name belongs to a text in the request, so that no file with this name is opened. */
    static boolean isText(String name) {
        return text(name) != null;
    }

    /** The request's text with this name; null if there is none. */
    static @Nullable String text(String name) {
        Request request = Request.current();
        return request == null ? null : request.text(name);
    }

    private static String nearest(String name) {
        String remedy = Nearest.remedy(name, Library.names());
        return remedy.startsWith("known") ? "shardsim catalog library lists library scenarios" : remedy;
    }

    /** Problems of a file, or a hint that it belongs to another tool. */
    static List<Problem> problems(String file, InputException refused) {
        String about = file.equals(STANDARD_INPUT) || isText(file) ? null : ScenarioImport.about(file);
        return about == null ? refused.problems() : List.of(new Problem(file, Position.START, about));
    }
}
