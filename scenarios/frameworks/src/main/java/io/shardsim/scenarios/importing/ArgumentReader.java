package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a shell script's training command as a mapping: {@code --lr 1e-4} is {@code lr: 1e-4}, {@code --bf16} is {@code bf16: true}. The
 * training command is the one with the most known arguments. If an argument is repeated, the last one counts and is listed first.
 */
final class ArgumentReader {
    /** Environment variables that may affect the step. */
    static final Pattern VARIABLE = Pattern.compile("(NCCL|CUDA|FI|NVTE|TORCH|PYTORCH|UB|GLOO|OMP)_.*");

    /** Tokens that end the arguments of a command stored in a variable. */
    private static final Pattern END = Pattern.compile("\\d?>.*|&>?.*|\\|.*|;|tee");

    private static final Pattern PYTHON = Pattern.compile("(.*/)?python[\\d.]*");
    /** The script's own arguments, whose values are unknown. */
    private static final Pattern ALL_ARGUMENTS = Pattern.compile("\\$[@*]|\\$\\{[@*].*}");
    /** A command with fewer known arguments is not a training command. */
    private static final int KNOWN_MIN = 2;

    private final String text;
    private final ShellScript script;
    /** Known arguments, with dashes (Megatron-LM) and with underscores (Trainer). */
    private final Set<String> dashed;

    private final Set<String> underscored;
    private boolean underscores;

    private ArgumentReader(String text, ShellScript script, Set<String> dashed, Set<String> underscored) {
        this.text = text;
        this.script = script;
        this.dashed = dashed;
        this.underscored = underscored;
    }

    /** The arguments as a mapping; null if no command has known arguments. */
    static @Nullable Mapping read(String text, Set<String> dashed, Set<String> underscored, Problems problems) {
        try {
            return new ArgumentReader(text, ShellScript.read(text), dashed, underscored).block();
        } catch (LiteralReader.Refused refused) {
            return problems.refuse(refused.position, String.valueOf(refused.getMessage()));
        }
    }

    private @Nullable Mapping block() {
        List<ShellText> best = List.of();
        int most = KNOWN_MIN - 1;
        for (List<ShellText> command : script.commands()) {
            int count = count(command);
            if (count >= most && count >= KNOWN_MIN) {
                best = command;
                most = count;
            }
        }
        List<ShellText> kept = script.words();
        if (count(kept) > 2 * count(best)) {
            best = kept;
        }
        if (count(best) < KNOWN_MIN) {
            return null;
        }
        boolean dotted = dotted(best) > 0;
        underscores = dotted || isOfHorovod(best) || matches(best, underscored, '_') >= matches(best, dashed, '-');
        List<Entry> entries = entries(best);
        if (isAlone(best)) {
            addAskedOf("WORLD_SIZE", name("--num-processes"), entries);
        }
        addOfMpi(best, entries);
        addAskedOf("SLURM_NNODES", "nnodes", entries);
        addAskedOf("SLURM_GPUS_PER_NODE", underscores ? "nproc_per_node" : "nproc-per-node", entries);
        List<Entry> environment = new ArrayList<>();
        script.exported().forEach((name, word) -> {
            if (VARIABLE.matcher(name).matches() || dotted && name.matches("CONFIG(_FILE)?|NGPU|MODULE")) {
                Position position = script.position(word.offset());
                environment.add(new Entry(name, position, new Scalar(position, decided(word), true)));
            }
        });
        if (!environment.isEmpty()) {
            Position position = environment.get(0).keyPosition();
            entries.add(new Entry("env", position, new Mapping(position, environment)));
        }
        conditional(best, entries);
        return new Mapping(script.position(best.get(0).offset()), entries);
    }

    /** Whether the command starts a single Python process, which reads the number of processes from the environment. */
    private static boolean isAlone(List<ShellText> command) {
        return command.size() > 1
                && PYTHON.matcher(command.get(0).toString()).matches()
                && command.get(1).toString().endsWith(".py");
    }

    /** Adds the options before the program of an MPI or Horovod command: processes, and hosts such as {@code a:8,b:8}. */
    private void addOfMpi(List<ShellText> command, List<Entry> entries) {
        String launcher = command.get(0).toString();
        if (!launcher.matches("(.*/)?(horovodrun|mpirun|mpiexec)")) {
            return;
        }
        addFirst(isOfHorovod(command) ? "horovodrun" : "mpirun", "true", command.get(0), entries);
        for (int i = 1; i + 1 < command.size() && !command.get(i).toString().endsWith(".py"); i++) {
            ShellText value = command.get(i + 1);
            switch (command.get(i).toString()) {
                case "-np", "-n" -> addFirst(name("--num-processes"), decided(value), value, entries);
                case "-H", "-host", "--host" ->
                    addFirst("nnodes", String.valueOf(decided(value).split(",").length), value, entries);
                default -> {}
            }
        }
    }

    /** Whether Horovod's launcher starts the command, which no Megatron-LM uses. */
    private static boolean isOfHorovod(List<ShellText> command) {
        return !command.isEmpty() && command.get(0).toString().matches("(.*/)?horovodrun");
    }

    private void addFirst(String name, String value, ShellText word, List<Entry> entries) {
        Position position = script.position(word.offset());
        entries.removeIf(entry -> entry.key().equals(name));
        entries.add(0, new Entry(name, position, new Scalar(position, value, true)));
    }

    /** Adds a variable of Slurm or the script as a launcher argument, unless the command itself has a number there. */
    private void addAskedOf(String variable, String argument, List<Entry> entries) {
        ShellText asked = script.word(variable);
        boolean said = entries.stream()
                .anyMatch(entry ->
                        entry.key().equals(argument) && entry.value() instanceof Scalar scalar && scalar.isNumber());
        if (!said && asked != null) {
            entries.removeIf(entry -> entry.key().equals(argument));
            Position position = script.position(asked.offset());
            entries.add(new Entry(argument, position, new Scalar(position, decided(asked), true)));
        }
    }

    /** Lists arguments inside conditions: they are used, and the user should know. */
    private void conditional(List<ShellText> words, List<Entry> entries) {
        List<YamlNode> names = new ArrayList<>();
        for (ShellText word : words) {
            if (word.toString().startsWith("--") && word.toString().length() > 2 && script.conditional(word.offset())) {
                names.add(new Scalar(script.position(word.offset()), name(word.toString()), false));
            }
        }
        if (!names.isEmpty()) {
            Position position = names.get(0).position();
            entries.add(new Entry("under-conditions", position, new Sequence(position, names)));
        }
    }

    private int count(List<ShellText> command) {
        return Math.max(matches(command, dashed, '-'), matches(command, underscored, '_'))
                + KNOWN_MIN * (dotted(command) + (isOfHorovod(command) ? 1 : 0));
    }

    /** Number of arguments with dots that set keys of a config file; they identify a training command. */
    private static int dotted(List<ShellText> command) {
        return (int) command.stream()
                .filter(word -> word.toString().startsWith("--"))
                .filter(word -> Importers.isArgument(name(word.toString(), '_')))
                .count();
    }

    private static int matches(List<ShellText> command, Set<String> known, char between) {
        return (int) command.stream()
                .filter(word -> word.toString().startsWith("--"))
                .map(word -> name(word.toString(), between))
                .filter(known::contains)
                .distinct()
                .count();
    }

    private String name(String argument) {
        return name(argument, underscores ? '_' : '-');
    }

    /** The argument's name without dashes in front and without its value; launchers accept both dashes and underscores in some names. */
    private static String name(String argument, char between) {
        int equals = argument.indexOf('=');
        String name = argument.substring(2, equals < 0 ? argument.length() : equals);
        return name.toLowerCase(Locale.ROOT).replace('_', between).replace('-', between);
    }

    private List<Entry> entries(List<ShellText> words) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            ShellText word = words.get(i);
            if (END.matcher(word.toString()).matches()) {
                break;
            }
            if (word.toString().endsWith(".py")) {
                Position position = script.position(word.offset());
                entries.add(new Entry("script", position, new Scalar(position, word.toString(), false)));
                ShellText next = words.get(Math.min(i + 1, words.size() - 1));
                if (dotted(words) > 0 && next.toString().matches(".*\\.ya?ml|\\$\\{?\\w+}?")) {
                    Position place = script.position(next.offset());
                    entries.add(new Entry("config_file", place, new Scalar(place, decided(next), true)));
                }
            }
            if (!word.toString().startsWith("--") || word.toString().length() == 2) {
                continue;
            }
            List<ShellText> values = new ArrayList<>();
            int equals = word.toString().indexOf('=');
            if (equals > 0) {
                values.add(word.from(equals + 1));
            }
            // Words after a script are the script's own arguments; the launcher's last argument has one value.
            while (equals < 0 && i + 1 < words.size() && isValue(words.get(i + 1))) {
                values.add(words.get(++i));
            }
            entries.add(entry(word, values));
        }
        return lastFirst(entries);
    }

    private static boolean isValue(ShellText word) {
        return !word.toString().startsWith("--")
                && !ALL_ARGUMENTS.matcher(word.toString()).matches()
                && !word.toString().endsWith(".py")
                && !PYTHON.matcher(word.toString()).matches()
                && !END.matcher(word.toString()).matches();
    }

    private Entry entry(ShellText word, List<ShellText> values) {
        Position position = script.position(word.offset());
        String name = name(word.toString());
        List<YamlNode> nodes = new ArrayList<>();
        for (ShellText value : values) {
            nodes.add(new Scalar(script.position(value.offset()), decided(value), true));
        }
        YamlNode node = switch (nodes.size()) {
            case 0 -> new Scalar(position, "true", true);
            case 1 -> nodes.get(0);
            default -> new Sequence(nodes.get(0).position(), nodes);
        };
        return new Entry(name, position, node);
    }

    /** The value, or the variable with all values that the script may give it. */
    private String decided(ShellText value) {
        String doubt = script.doubt(value);
        return doubt == null ? value.toString() : doubt;
    }

    /** Repeated names: the last one takes the position of the first, the others move to the end. */
    private static List<Entry> lastFirst(List<Entry> entries) {
        Map<String, Entry> last = new LinkedHashMap<>();
        List<Entry> overridden = new ArrayList<>();
        for (Entry entry : entries) {
            Entry before = last.put(entry.key(), entry);
            if (before != null) {
                overridden.add(before);
            }
        }
        List<Entry> ordered = new ArrayList<>(last.values());
        Collections.reverse(overridden);
        ordered.addAll(overridden);
        return ordered;
    }
}
