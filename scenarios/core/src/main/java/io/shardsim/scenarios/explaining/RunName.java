package io.shardsim.scenarios.explaining;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run's name on the command line: a file, and a choice among several runs. {@code FILE#3} is the third in file order,
 * {@code FILE#kind=mics,nodes=32} the one with these swept values.
 *
 * @param file file, folder or name of the library
 * @param choice the part after the number sign; null without one
 */
public record RunName(String file, @Nullable String choice) {
    /** Maximum number of runs listed in a message. */
    private static final int LISTED_MAX = 20;

    /** Parses a name; the file's own name may contain a number sign. */
    public static RunName of(String written) {
        int sign = written.lastIndexOf('#');
        return sign <= 0 || new File(written).exists()
                ? new RunName(written, null)
                : new RunName(written.substring(0, sign), written.substring(sign + 1));
    }

    /** Returns the name as written. */
    public String written() {
        return choice == null ? file : file + "#" + choice;
    }

    /**
     * Returns the index of the selected run.
     *
     * @param points each run's swept values, by dotted key
     * @return its index, from 0
     * @throws InputException if it selects no run, or several
     */
    public int place(List<? extends Map<String, ?>> points) throws InputException {
        List<Map<String, String>> runs = points.stream().map(RunName::flat).toList();
        if (choice == null) {
            if (runs.size() == 1) {
                return 0;
            }
            throw refused("holds " + runs.size() + " runs; name one, such as " + file + "#1", all(runs), runs);
        }
        if (choice.matches("\\d{1,9}")) {
            int number = Integer.parseInt(choice);
            if (number >= 1 && number <= runs.size()) {
                return number - 1;
            }
            throw refused("#" + choice + " is not from 1 to " + runs.size(), all(runs), runs);
        }
        List<Integer> meant = meant(runs, choice);
        if (meant.size() == 1) {
            return meant.get(0);
        }
        throw meant.isEmpty()
                ? refused("no run has " + YamlReader.printable(choice) + "; write #N or #KEY=VALUE", all(runs), runs)
                : refused(meant.size() + " runs have " + choice + "; add a value, or write #N", meant, runs);
    }

    private static List<Integer> all(List<?> runs) {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            places.add(i);
        }
        return places;
    }

    /** Returns the runs with all chosen values; a key may omit its block. */
    private static List<Integer> meant(List<Map<String, String>> runs, String choice) {
        List<Integer> meant = all(runs);
        for (String part : choice.split(",")) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? "" : part.substring(0, equals).strip();
            String value = part.substring(equals + 1).strip();
            meant.removeIf(place -> runs.get(place).entrySet().stream()
                    .noneMatch(entry ->
                            isKey(entry.getKey(), key) && entry.getValue().equals(value)));
        }
        return meant;
    }

    private static boolean isKey(String path, String written) {
        return path.equals(written) || path.endsWith("." + written);
    }

    private InputException refused(String message, List<Integer> places, List<Map<String, String>> runs) {
        List<Problem> lines = new ArrayList<>();
        lines.add(new Problem(file, Position.NONE, message));
        for (int place : places.subList(0, Math.min(LISTED_MAX, places.size()))) {
            lines.add(new Problem(file + "#" + (place + 1), Position.NONE, words(runs.get(place))));
        }
        return new InputException(lines);
    }

    /** Formats values, for example {@code cluster.nodes 32, strategy.kind mics}. */
    static String words(Map<String, String> values) {
        List<String> words = new ArrayList<>();
        values.forEach((key, value) -> words.add(key + " " + value));
        return words.isEmpty() ? "no sweep" : String.join(", ", words);
    }

    /** Returns values by dotted key, including those in swept blocks. */
    static Map<String, String> flat(Map<String, ?> values) {
        Map<String, String> flat = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (value instanceof Map<?, ?> block) {
                Map<String, Object> inner = new LinkedHashMap<>();
                block.forEach((name, of) -> inner.put(key + "." + name, of));
                flat.putAll(flat(inner));
            } else {
                flat.put(key, String.valueOf(value));
            }
        });
        return flat;
    }
}
