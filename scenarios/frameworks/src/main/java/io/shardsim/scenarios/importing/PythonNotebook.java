package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A notebook's Python code, without cells in other languages and cells that write files. */
final class PythonNotebook {
    /** Cell magics of cells that are not Python code of the notebook. */
    private static final Pattern OTHER = Pattern.compile("%%(?!time|capture|prun).*");

    private static final Pattern LAUNCH = Pattern.compile(
            "\\s*!?\\s*(\\w+=\\S+\\s+)*(torchrun|deepspeed|accelerate\\s+launch|python3?\\s+-m\\s+(torch\\.distributed|accelerate)\\S*)\\s.*");
    private static final Pattern VARIABLE = Pattern.compile("^\\s*%(?:set_)?env\\s+(\\w+)\\s*[=\\s]\\s*(.*?)\\s*$");

    private final TreeMap<Integer, String> lines = new TreeMap<>();
    private final Problems problems;

    private PythonNotebook(Problems problems) {
        this.problems = problems;
    }

    /** The code, with the line numbers of the file; null if it is not a notebook. */
    static @Nullable String code(YamlNode file, Problems problems) {
        if (!(file instanceof Mapping root)
                || root.entry("nbformat") == null
                || !(value(root, "cells") instanceof Sequence cells)) {
            return null;
        }
        PythonNotebook notebook = new PythonNotebook(problems);
        for (YamlNode cell : cells.items()) {
            if (cell instanceof Mapping block
                    && value(block, "cell_type") instanceof Scalar type
                    && type.text().equals("code")) {
                YamlNode source = value(block, "source");
                notebook.add(
                        source instanceof Sequence list ? list.items() : source == null ? List.of() : List.of(source));
            }
        }
        StringBuilder code = new StringBuilder();
        int line = 1;
        for (Map.Entry<Integer, String> each : notebook.lines.entrySet()) {
            code.append("\n".repeat(each.getKey() - line)).append(each.getValue());
            line = each.getKey();
        }
        return code.toString();
    }

    private void add(List<YamlNode> cell) {
        boolean other = !cell.isEmpty()
                && cell.get(0) instanceof Scalar first
                && OTHER.matcher(first.text().strip().lines().findFirst().orElse(""))
                        .matches();
        for (YamlNode part : cell) {
            int line = Math.max(part.position().line(), lines.isEmpty() ? 1 : lines.lastKey() + 1);
            for (String each : ((Scalar) part).text().split("\n")) {
                if ((other || each.strip().startsWith("!"))
                        && LAUNCH.matcher(each).matches()) {
                    problems.add(
                            new Position(line, 1),
                            "launches training, but launch commands in notebooks are not read; pass the command "
                                    + "as a shell script");
                }
                String code = VARIABLE.matcher(each).replaceFirst("os.environ['$1'] = '$2'");
                lines.put(line++, other ? "" : code);
            }
        }
    }

    private static @Nullable YamlNode value(Mapping block, String key) {
        Entry entry = block.entry(key);
        return entry == null ? null : entry.value();
    }
}
