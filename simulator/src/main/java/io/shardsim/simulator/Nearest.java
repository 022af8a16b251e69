package io.shardsim.simulator;

import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Finds the known name that was probably meant. */
public final class Nearest {
    /** Maximum length compared; longer texts are cut. */
    private static final int LENGTH_MAX = 60;

    private Nearest() {}

    /** Maximum number of suggestions; beyond it, all known names are listed instead. */
    private static final int MEANT_MAX = 4;

    /**
     * Returns the known name that the unknown one is a prefix of, if there is exactly one; else the one with the fewest edits, or null if none is
     * near: more than a third of its letters, and more than two, differ. Last, returns the known name that is a prefix of the unknown one.
     */
    public static @Nullable String of(String unknown, Collection<String> known) {
        List<String> longer = longer(unknown, known);
        if (longer.size() == 1) {
            return longer.get(0);
        }
        String best = null;
        String sought = folded(unknown);
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : known) {
            String other = folded(candidate);
            int most = Math.min(bestDistance - 1, Math.max(2, candidate.length() / 3));
            // Each letter of the length difference is an edit.
            if (Math.abs(sought.length() - other.length()) > most) {
                continue;
            }
            int distance = distance(sought, other);
            if (distance <= most) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best == null ? beginning(sought, known) : best;
    }

    /**
     * Returns the longest known name that is a prefix of the unknown one, as {@code global_batch} is of {@code global_batch_size}; null if there is
     * none.
     */
    private static @Nullable String beginning(String sought, Collection<String> known) {
        return known.stream()
                .filter(candidate -> sought.startsWith(folded(candidate) + "_"))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    /** Returns the known names that the unknown one is a prefix of. */
    private static List<String> longer(String unknown, Collection<String> known) {
        String beginning = folded(unknown);
        return known.stream()
                .filter(candidate -> unknown.length() > 1 && folded(candidate).startsWith(beginning))
                .toList();
    }

    /** Returns {@code did you mean NAME?}, or the list of known names. */
    public static String remedy(String unknown, Collection<String> known) {
        return remedy(unknown, known, known.isEmpty() ? "none is known" : "known: " + String.join(", ", known));
    }

    /** Names that are known but not modelled, folded, and the nearest supported ones. */
    private static Properties notModelled() {
        Properties names = new Properties();
        try (InputStream in = Nearest.class.getResourceAsStream("/catalog/not-modelled.properties")) {
            names.load(Objects.requireNonNull(in));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return names;
    }

    /** Returns {@code did you mean NAME?}, that it is not modelled and what is nearest, or {@code otherwise} if no name is near. */
    public static String remedy(String unknown, Collection<String> known, String otherwise) {
        List<String> longer = longer(unknown, known);
        if (longer.size() > 1 && longer.size() <= MEANT_MAX) {
            int last = longer.size() - 1;
            return "did you mean " + String.join(", ", longer.subList(0, last)) + " or " + longer.get(last) + "?";
        }
        String name = unknown.substring(unknown.lastIndexOf('.') + 1);
        String ask = notModelled().getProperty(folded(name));
        if (ask != null) {
            return YamlReader.printable(name) + " is not modelled; closest supported: " + ask;
        }
        String nearest = of(unknown, known);
        return nearest == null ? otherwise : "did you mean " + nearest + "?";
    }

    private static String folded(String text) {
        String cut = text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) : text;
        return cut.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    /** Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
    static int distance(String a, String b) {
        int[][] edits = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int replaced = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                edits[i][j] = Math.min(replaced, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                }
            }
        }
        return edits[a.length()][b.length()];
    }
}
