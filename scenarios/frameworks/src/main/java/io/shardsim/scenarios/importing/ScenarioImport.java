package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.scenarios.importing.Imported.Assumption;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Imports framework configurations as one scenario. */
public final class ScenarioImport {
    /** Maximum length of a message; longer than any of ours, including lists of known names [characters]. */
    private static final int MESSAGE_MAX = 600;

    /** Scenario key that lists ignored keys that decide the answer. */
    static final String ACCEPTED = "accepted";

    private final List<Problems> problems = new ArrayList<>();
    private final List<ForeignFile> files = new ArrayList<>();
    private final Map<ForeignFile, Importer> importers = new LinkedHashMap<>();
    private final Set<ForeignFile> commands = new LinkedHashSet<>();
    private final Draft draft = new Draft();
    private final Choices choices;

    private ScenarioImport(Choices choices) {
        this.choices = choices;
    }

    /** Reads the files. */
    public static Imported read(List<String> names, Choices choices) throws InputException {
        ScenarioImport work = new ScenarioImport(choices);
        for (String name : new LinkedHashSet<>(names)) {
            Problems found = new Problems(name);
            work.problems.add(found);
            String text = YamlReader.text(name, found);
            if (text != null) {
                work.add(name, text, found);
            }
        }
        return work.finish();
    }

    /**
     * Reads one text.
     *
     * @param name file name for messages; its extension tells the language
     */
    public static Imported readText(String name, String text, Choices choices) throws InputException {
        return readTexts(Map.of(name, text), choices);
    }

    /**
     * Reads several files of one training.
     *
     * @param texts texts by file name, as for {@link #readText}
     */
    public static Imported readTexts(Map<String, String> texts, Choices choices) throws InputException {
        ScenarioImport work = new ScenarioImport(choices);
        texts.forEach((name, text) -> {
            Problems found = new Problems(name);
            work.problems.add(found);
            work.add(name, text, found);
        });
        return work.finish();
    }

    /** The message for a framework's file that is used as a scenario; null for any other file. */
    public static @Nullable String about(String file) {
        Problems found = new Problems(file);
        String text = YamlReader.text(file, found);
        ForeignReader.Content content = text == null ? null : ForeignReader.read(file, text, found);
        if (content == null || OpenedFile.isScenario(content.root())) {
            return text == null || content != null ? null : Known.unread(text, file.endsWith(".py"));
        }
        Importer importer = Importers.recognize(content.root(), content.arguments());
        return importer == null
                ? null
                : "this is a " + Importers.table(importer).title() + ", not a scenario; shardsim import " + file
                        + " converts it";
    }

    /** Whether a file is a scenario. */
    public static boolean isScenario(String file) {
        Problems found = new Problems(file);
        String text = YamlReader.text(file, found);
        ForeignReader.Content content = text == null ? null : ForeignReader.read(file, text, found);
        return content != null && OpenedFile.isScenario(content.root());
    }

    private void add(String name, String text, Problems found) {
        ForeignReader.Content content = ForeignReader.read(name, text, found);
        if (content == null) {
            return;
        }
        Mapping root = content.root();
        if (OpenedFile.isScenario(root)) {
            found.add(Position.START, "is a scenario already; run it with shardsim run " + name);
            return;
        }
        Importer importer = Importers.recognize(root, content.arguments());
        boolean sure = !content.arguments()
                || importer != null && Importers.table(importer).isMarked(root);
        String other = sure ? null : Known.unread(root, text.toLowerCase(Locale.ROOT));
        if (importer == null || other != null) {
            found.add(Position.START, other != null ? other : Importers.unknown(content.arguments()));
            return;
        }
        ForeignFile file = add(name, "", importer, importer.unwrap(root), content.origins(), found);
        if (content.arguments()) {
            commands.add(file);
        }
        for (Mapping block : content.more()) {
            Importer kind = Importers.recognize(block, false);
            if (kind != null) {
                add(name, "", kind, kind.unwrap(block), content.origins(), found);
            }
        }
    }

    /** Adds a configuration, and one that is nested inside it. */
    private ForeignFile add(
            String name, String prefix, Importer importer, Mapping root, Origins origins, Problems found) {
        String inner = importer.innerKey(root);
        Entry entry = inner == null ? null : root.entry(inner);
        Mapping outside = root;
        if (entry != null && entry.value() instanceof Mapping block) {
            Importer other = Importers.recognize(block, false);
            if (other != null && other != importer) {
                List<Entry> entries = new ArrayList<>(root.entries());
                entries.remove(entry);
                outside = new Mapping(root.position(), entries);
                add(name, prefix + inner + ".", other, other.unwrap(block), origins, found);
            }
        }
        ForeignFile file = new ForeignFile(name, prefix, Importers.table(importer), outside, origins, found);
        files.add(file);
        importers.put(file, importer);
        return file;
    }

    /** Applies arguments with dots, which override keys of the corresponding file. */
    private void override() {
        for (ForeignFile command : commands) {
            importers.keySet().stream()
                    .filter(file ->
                            command.table().isDotted() && file.table() == command.table() && !commands.contains(file))
                    .findFirst()
                    .ifPresent(file -> {
                        file.override(command);
                        command.table()
                                .namedBy()
                                .forEach(key -> command.judge(
                                        key, Verdict.IRRELEVANT, inPlace(command.text(key), file.name())));
                        importers.remove(command);
                    });
        }
    }

    /** The note for a command's argument that names a file. */
    private static String inPlace(@Nullable String named, String given) {
        boolean same = ("/" + named).endsWith("/" + Path.of(given).getFileName());
        return same ? "given too" : "overridden by " + given + ", a file with another name";
    }

    /** Rejects files whose kind describes the model elsewhere if there is no model; none is assumed. */
    private void refuseWithoutModel() {
        for (ForeignFile file : importers.keySet()) {
            String where = file.table().modelIn();
            boolean named = draft.has("model") || draft.has(Draft.HUB_NAME);
            if (where != null && !named && !draft.has("model.hidden") && !draft.has("model.layers")) {
                file.refuse("", "describes no model, " + where + "; pass --model NAME, or also its config.json");
            }
        }
    }

    private Imported finish() throws InputException {
        draft.choose(Draft.INSTANCE, choices.instance(), "--instance");
        draft.choose(Draft.NODES, choices.nodes(), "--nodes");
        draft.choose(Draft.SEQUENCE, choices.sequenceLength(), "--sequence-length");
        draft.choose("model", choices.model(), "--model");
        override();
        importers.forEach((file, importer) -> {
            draft.giveByTable(file);
            if (file.table().isDotted()) {
                MegatronArguments.contributeCluster(file, draft, '_');
            }
            importer.contribute(file, draft);
        });
        draft.runLater();
        refuseWithoutModel();
        throwIfAny();
        Completion completion = new Completion(draft, files, choices);
        ScenarioText text = completion.complete();
        List<String> leftOut = leftOut();
        throwIfAny();
        if (!leftOut.isEmpty()) {
            text.list(ACCEPTED, leftOut);
        }
        check(text);
        List<KeyVerdict> keys = new ArrayList<>();
        Map<String, String> titles = new LinkedHashMap<>();
        for (ForeignFile file : files) {
            titles.merge(file.name(), file.table().title(), (inner, outer) -> outer + " with a " + inner);
            file.keys().forEach(key -> keys.add(key.verdict()));
        }
        return new Imported(text.toString(), text.tree(), keys, assumptions(text), titles);
    }

    /** Keys that decide the answer and that the user agreed to ignore; each other such key is a problem. */
    private List<String> leftOut() {
        Map<String, List<ForeignKey>> byNote = new LinkedHashMap<>();
        for (ForeignFile file : files) {
            file.keys().stream()
                    .filter(key -> key.verdict().verdict() == Verdict.DECIDES_THE_ANSWER)
                    .forEach(key -> byNote.computeIfAbsent(key.verdict().note(), note -> new ArrayList<>())
                            .add(key));
        }
        Set<String> accepted = new LinkedHashSet<>(choices.accepted());
        List<String> leftOut = new ArrayList<>();
        byNote.forEach((note, keys) -> {
            List<String> names =
                    keys.stream().map(key -> key.verdict().key()).distinct().toList();
            if (accepted.removeAll(names)) {
                leftOut.addAll(names);
            } else {
                ForeignKey first = keys.get(0);
                String more =
                        names.size() == 1 ? "" : " (with " + String.join(", ", names.subList(1, names.size())) + ")";
                first.file()
                        .problems()
                        .add(
                                first.position(),
                                names.get(0) + " " + YamlReader.printable(first.text()) + more + " decides the answer: "
                                        + note + ". --accept " + names.get(0) + " leaves it out");
            }
        });
        for (String unused : accepted) {
            problems.get(0)
                    .add(
                            Position.START,
                            "--accept " + unused + ": no key of this name decides the answer; leave it out");
        }
        return leftOut;
    }

    /** Assumptions, including the defaults of a script's arguments. */
    private List<Assumption> assumptions(ScenarioText text) {
        Map<String, Assumption> assumptions = new LinkedHashMap<>();
        text.facts().forEach((name, fact) -> {
            if (fact.rank() == Rank.ASSUMED) {
                assumptions.put(name, new Assumption(name, fact.value(), fact.note()));
            }
        });
        for (ForeignFile file : files) {
            for (ForeignKey key : file.keys()) {
                KeyTable.Entry entry = file.table().entry(key.path());
                String why = entry == null || entry.verdict() == Verdict.IRRELEVANT ? null : key.assumed();
                if (entry != null && why != null) {
                    String ours = text.nameOf(key, entry);
                    Fact fact = text.facts().get(ours);
                    Object value = fact == null ? key.text() : fact.value();
                    String note = key.verdict().key() + " is " + key.text() + ", " + why;
                    assumptions.merge(
                            ours,
                            new Assumption(ours, value, note),
                            (one, more) -> new Assumption(ours, value, one.note() + "; " + more.note()));
                }
            }
            file.origins()
                    .decided
                    .forEach((flags, line) -> assumptions.put(
                            flags,
                            new Assumption(
                                    flags,
                                    "its default",
                                    "a condition in line " + line + " of " + file.name() + " depends on it")));
        }
        return List.copyOf(assumptions.values());
    }

    /** Reports what is invalid in the scenario at the file's key that caused it. */
    private void check(ScenarioText text) throws InputException {
        try {
            ScenarioReader.readText("scenario", text.toString());
        } catch (InputException refused) {
            List<Problem> told = new ArrayList<>();
            for (Problem problem : refused.problems()) {
                Fact fact = text.factAt(problem.position().line());
                ForeignKey key = fact == null ? null : fact.key();
                told.add(
                        key != null
                                ? new Problem(key.file().name(), key.position(), key.path() + ": " + problem.message())
                                : new Problem(files.get(0).name(), Position.START, problem.message() + origin(fact)));
            }
            throw new InputException(told.stream().map(ScenarioImport::oneLine).toList());
        }
    }

    private static String origin(@Nullable Fact fact) {
        return fact == null ? "" : " (" + (fact.rank() == Rank.ASSUMED ? "assumed: " : "") + fact.note() + ")";
    }

    /** The message on one line, of limited length, since files may contain anything. */
    private static Problem oneLine(Problem problem) {
        String clean = YamlReader.oneLineOf(problem.message());
        String cut = clean.length() > MESSAGE_MAX ? clean.substring(0, MESSAGE_MAX) + "..." : clean;
        return new Problem(problem.file(), problem.position(), cut);
    }

    private void throwIfAny() throws InputException {
        List<Problem> all = new ArrayList<>();
        for (Problems found : problems) {
            found.inOrder().forEach(each -> all.add(oneLine(each)));
        }
        if (!all.isEmpty()) {
            throw new InputException(all);
        }
    }
}
