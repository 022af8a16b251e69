package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Kubernetes manifest of a PyTorchJob or HyperPodPyTorchJob: the command of its container, read as a shell script, and the requested resources. */
final class Manifest {
    private static final String REPLICAS = "eplicaSpecs:";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");
    private static final Pattern REFERENCE = Pattern.compile("(?<!\\$)\\$\\(([A-Za-z_]\\w*)\\)");
    /** Header of a block scalar, whose text starts on the next line. */
    private static final Pattern BLOCK = Pattern.compile("[|>][-+0-9]*\\s*(#.*)?");

    private Manifest() {}

    /** The arguments, plus nodes, GPUs and instance under the manifest's own names; null for other texts. */
    static @Nullable Mapping command(String text, Problems problems) {
        StringBuilder job = new StringBuilder();
        for (String document : text.split("(?m)^(?=---)")) {
            // Keeps the first job; other documents become empty lines, so that line numbers stay the same.
            boolean taken = job.indexOf(REPLICAS) < 0 && document.contains(REPLICAS);
            job.append(taken ? document.replaceFirst("^---", "") : document.replaceAll("[^\n]", ""));
        }
        YamlNode root = text.contains("apiVersion:") && job.indexOf(REPLICAS) >= 0
                ? YamlReader.readText(job.toString(), new Problems(""))
                : null;
        if (root == null) {
            return null;
        }
        Map<String, String> environment = environment(root);
        List<Mapping> commands = blocks(root)
                .filter(block -> block.entry("image") != null)
                .map(container -> ForeignReader.arguments(
                        script(words(container), environment, job.toString().split("\n", -1)), problems))
                .flatMap(Stream::ofNullable)
                .toList();
        if (commands.isEmpty()) {
            return null;
        }
        Mapping last = commands.get(commands.size() - 1);
        commands.forEach(command -> compare(last, command, problems));
        List<Entry> entries = new ArrayList<>(last.entries());
        List<Scalar> replicas = values(root, "replicas")
                .filter(each -> NUMBER.matcher(each.text()).matches())
                .toList();
        long nodes =
                replicas.stream().mapToLong(each -> Long.parseLong(each.text())).sum();
        if (nodes > 0) {
            entries.add(entry("replicas", replicas.get(0), String.valueOf(nodes)));
        }
        for (String name : List.of("nvidia.com/gpu", "node.kubernetes.io/instance-type")) {
            List<Scalar> asked = values(root, name).toList();
            asked.stream()
                    .filter(each -> !each.text().equals(asked.get(0).text()))
                    .forEach(each -> refuse(name, each, asked.get(0), problems));
            if (!asked.isEmpty()) {
                entries.add(entry(name, asked.get(0), asked.get(0).text().replaceFirst("^ml\\.", "")));
            }
        }
        return new Mapping(last.position(), entries);
    }

    private static Entry entry(String name, Scalar from, String value) {
        return new Entry(name, from.position(), new Scalar(from.position(), value, true));
    }

    private static void refuse(String name, Scalar one, Scalar other, Problems problems) {
        problems.add(
                one.position(),
                name + " " + one.text() + " contradicts " + name + " " + other.text() + " at " + other.position()
                        + "; all replicas are alike in a simulation, so make them agree");
    }

    /** Rejects replicas whose arguments differ, except in irrelevant ones such as the rank. */
    private static void compare(Mapping last, Mapping other, Problems problems) {
        Importer kind = Importers.recognize(last, true);
        if (kind == null) {
            return;
        }
        KeyTable table = Importers.table(kind);
        for (Entry entry : last.entries()) {
            KeyTable.Entry known = table.entry(entry.key());
            Entry there = other.entry(entry.key());
            if (known != null
                    && known.verdict() != Verdict.IRRELEVANT
                    && there != null
                    && last.entry(entry.key()) == entry
                    && entry.value() instanceof Scalar one
                    && there.value() instanceof Scalar two
                    && !one.text().equals(two.text())) {
                refuse(entry.key(), one, two, problems);
            }
        }
    }

    /** Variables that the manifest sets; later ones may refer to earlier ones. */
    private static Map<String, String> environment(YamlNode root) {
        Map<String, String> environment = new LinkedHashMap<>();
        blocks(root)
                .map(block -> block.entry("env"))
                .flatMap(entry -> entry == null ? Stream.of() : blocks(entry.value()))
                .forEach(variable -> {
                    Entry name = variable.entry("name");
                    Entry value = variable.entry("value");
                    if (name != null
                            && value != null
                            && name.value() instanceof Scalar called
                            && called.text().matches("[A-Za-z_]\\w*")
                            && value.value() instanceof Scalar said) {
                        environment.put(called.text(), filled(said.text(), environment));
                    }
                });
        return environment;
    }

    private static String filled(String text, Map<String, String> environment) {
        return REFERENCE
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(environment.getOrDefault(found.group(1), found.group())));
    }

    /** The command as a script with the manifest's line numbers; the argument of a shell's -c is taken as is. */
    private static String script(List<Scalar> words, Map<String, String> environment, String[] lines) {
        StringBuilder script = new StringBuilder();
        environment.forEach((name, value) -> script.append("export ")
                .append(name)
                .append('=')
                .append(quoted(value.replace('\n', ' ')))
                .append("; "));
        script.append('\n');
        int shell = 2;
        while (shell < words.size()
                && !(words.get(shell - 1).text().matches("-[a-z]*c")
                        && words.stream()
                                .limit(shell)
                                .anyMatch(word -> word.text().matches("(.*/)?[a-z]*sh")))) {
            shell++;
        }
        int line = 2;
        for (Scalar word : shell < words.size() ? words.subList(shell, shell + 1) : words) {
            String text = filled(word.text(), environment);
            boolean begun = script.charAt(script.length() - 1) != '\n';
            String written = lines[word.position().line() - 1];
            boolean below = BLOCK.matcher(written.substring(
                            Math.min(written.length(), word.position().column() - 1)))
                    .matches();
            int from = word.position().line() + (below ? 1 : 0);
            script.append((begun ? "\\\n" : "\n").repeat(Math.max(0, from - line)));
            script.append(shell < words.size() ? text : quoted(text) + " ");
            line = Math.max(line, from)
                    + (int) text.chars().filter(letter -> letter == '\n').count();
        }
        return script.append('\n').toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static List<Scalar> words(Mapping container) {
        return Stream.of("command", "args")
                .map(container::entry)
                .flatMap(entry -> entry != null && entry.value() instanceof Sequence list
                        ? list.items().stream()
                        : Stream.empty())
                .flatMap(item -> item instanceof Scalar scalar ? Stream.of(scalar) : Stream.empty())
                .toList();
    }

    /** All scalar values of this key, at any depth. */
    private static Stream<Scalar> values(YamlNode node, String name) {
        return blocks(node)
                .map(block -> block.entry(name))
                .flatMap(entry ->
                        entry != null && entry.value() instanceof Scalar scalar ? Stream.of(scalar) : Stream.empty());
    }

    private static Stream<Mapping> blocks(YamlNode node) {
        return node instanceof Mapping block
                ? Stream.concat(
                        Stream.of(block),
                        block.entries().stream().map(Entry::value).flatMap(Manifest::blocks))
                : node instanceof Sequence list ? list.items().stream().flatMap(Manifest::blocks) : Stream.empty();
    }
}
