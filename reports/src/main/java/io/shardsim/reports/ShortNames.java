package io.shardsim.reports;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Shortens names for a chart or narrow table, all names of one figure together: distinct names stay distinct.
 *
 * <p>Applies the field's abbreviations first, then drops vendors, instance sizes and whatever all names share, and finally cuts the middle of names
 * still too long.
 */
public final class ShortNames {
    private static final Map<String, String> ABBREVIATIONS = Map.of(
            "tensor parallel", "TP",
            "sequence parallel", "SP",
            "context parallel", "CP",
            "pipeline parallel", "PP",
            "checkpointing", "ckpt",
            "flash attention", "flash",
            "standard attention", "standard",
            "micro-batch", "mb",
            "shard group", "group");

    private static final List<String> VENDORS = List.of("DeepSpeed ", "PyTorch ");
    private static final String SEPARATOR = ", ";
    /** Marks a cut. */
    public static final char CUT = '\u2026';

    private ShortNames() {}

    /**
     * Returns the short form of each name.
     *
     * @param length maximum characters of a short form
     */
    public static Map<String, String> of(Collection<String> names, int length) {
        Set<String> distinct = new LinkedHashSet<>(names);
        Map<String, String> best = new LinkedHashMap<>();
        distinct.forEach(name -> best.put(name, name));
        List<UnaryOperator<String>> steps = List.of(
                ShortNames::abbreviated,
                ShortNames::withoutVendor,
                ShortNames::withoutInstanceSize,
                withoutShared(distinct),
                name -> cut(name, length));
        for (UnaryOperator<String> step : steps) {
            if (best.values().stream().allMatch(name -> name.length() <= length)) {
                break;
            }
            Map<String, String> shorter = new LinkedHashMap<>(best);
            shorter.replaceAll((name, form) -> step.apply(form));
            if (new HashSet<>(shorter.values()).size() == distinct.size()) {
                best.putAll(shorter);
            }
        }
        return best.values().stream().allMatch(name -> name.length() <= length) ? best : numbered(best, length);
    }

    private static String abbreviated(String name) {
        String shorter = name;
        for (Map.Entry<String, String> entry : ABBREVIATIONS.entrySet()) {
            shorter = shorter.replace(entry.getKey(), entry.getValue());
        }
        return shorter;
    }

    private static String withoutVendor(String name) {
        String shorter = name;
        for (String vendor : VENDORS) {
            shorter = shorter.replace(vendor, "");
        }
        return shorter;
    }

    /** Drops the instance size: {@code p4d.24xlarge} is the only p4d in most sweeps. */
    private static String withoutInstanceSize(String name) {
        return name.replaceAll("\\.\\d*xlarge\\b", "");
    }

    /** Returns an operation that drops comma-separated parts shared by all names, in the form left by earlier steps. */
    private static UnaryOperator<String> withoutShared(Collection<String> names) {
        Set<String> shared = new HashSet<>();
        for (String name : names) {
            List<String> parts = parts(withoutInstanceSize(withoutVendor(abbreviated(name))));
            if (shared.isEmpty()) {
                shared.addAll(parts);
            }
            shared.retainAll(parts);
            if (shared.isEmpty()) {
                break;
            }
        }
        return name -> {
            List<String> own =
                    parts(name).stream().filter(part -> !shared.contains(part)).toList();
            return own.isEmpty() || names.size() == 1 ? name : String.join(SEPARATOR, own);
        };
    }

    private static List<String> parts(String name) {
        return List.of(name.split(SEPARATOR));
    }

    /** Cuts the middle of a name, since differences are often at the end. Drops partly cut words, except the first and the last. */
    private static String cut(String name, int length) {
        if (name.length() <= length) {
            return name;
        }
        int head = length - 1 - length / 2;
        int tail = name.length() - length / 2;
        int headEnd = name.lastIndexOf(' ', head);
        int tailStart = name.indexOf(' ', tail - 1) + 1;
        return name.substring(0, headEnd > 0 ? Math.min(headEnd + 1, head) : head)
                + CUT
                + name.substring(tailStart > 0 ? tailStart : tail);
    }

    private static Map<String, String> numbered(Map<String, String> names, int length) {
        Map<String, String> numbered = new LinkedHashMap<>();
        names.forEach((name, form) -> {
            String number = "#" + (numbered.size() + 1) + " ";
            numbered.put(name, number + cut(form, Math.max(2, length - number.length())));
        });
        return numbered;
    }
}
