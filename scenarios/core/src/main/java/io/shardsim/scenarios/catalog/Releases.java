package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of a framework's releases: values of scenario keys, from a file in {@code catalog/releases}.
 *
 * @param title a one-line description
 * @param releases oldest first
 * @param with libraries and options named with the framework, such as compilation, and their defaults
 * @param origin source of these defaults
 */
public record Releases(String title, List<Release> releases, Map<String, Release> with, Origin origin) {
    private static final ValueType WORD = ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9._-]*", "a name");
    static final FigureFolder FILES = new FigureFolder("catalog/releases", "framework", keys());

    /** Number of digits that always fits a long. */
    private static final int DIGITS_MAX = 18;

    /** The year of PyTorch's first release, on which all these frameworks are built. */
    private static final int FIRST_YEAR = 2016;

    private static final int LAST_YEAR = 2099;

    /** Files read so far: a plan looks them up for every candidate. */
    private static final Map<String, Releases> READ = new ConcurrentHashMap<>();

    /**
     * A release, in force until the next one; or a library or option named with any release.
     *
     * @param from its version number or date; empty for an addition
     * @param settings values by dotted key
     * @param kinds further values by kind of strategy, or by family of kinds
     * @param where further values that apply if a scenario sets a key itself, or for a key with {@code =}, sets it to that value
     * @param validated whether a published run that names only this framework is compared
     */
    public record Release(
            String from,
            Map<String, String> settings,
            Map<String, Map<String, String>> kinds,
            Map<String, Map<String, String>> where,
            boolean validated) {
        private static Release of(Block block) {
            return new Release(
                    block.text("from", ""),
                    block.map("settings"),
                    block.map("kinds"),
                    block.map("where"),
                    block.flag("validated", false));
        }
    }

    /** The source of settings and its date. */
    public record Origin(String source, String date) {}

    private static List<Key> keys() {
        Map<String, ValueType> types = new HashMap<>(Map.of(
                "word",
                WORD,
                "settings",
                SettingTypes.SETTINGS,
                "kinds",
                new MapType(WORD, SettingTypes.SETTINGS),
                "where",
                new MapType(SettingTypes.DOTTED_OR_VALUE, SettingTypes.SETTINGS),
                "source",
                FigureFile.SOURCE));
        List<Key> release = CatalogKeys.FILE.keys("release", types);
        // An addition has the same keys as a release, but no date.
        types.put("additions", new MapType(WORD, new BlockType(release.subList(2, release.size()), false)));
        return CatalogKeys.FILE.keys("framework", types);
    }

    /** Returns names of all frameworks, equal to their file names. */
    public static List<String> names() {
        return FILES.names();
    }

    /** Returns the framework of a name; null if there is none. */
    public static @Nullable Releases named(String name) {
        return READ.computeIfAbsent(name, each -> {
            FigureFile file = FILES.find(each);
            return file == null ? null : of(file);
        });
    }

    static Releases of(FigureFile file) {
        Block block = file.block();
        Block origin = Objects.requireNonNull(block.block("origin"), "a required block");
        Map<String, Release> with = new LinkedHashMap<>();
        block.<Block>map("with").forEach((name, part) -> with.put(name, Release.of(part)));
        return new Releases(
                file.title(),
                block.<Block>list("releases").stream().map(Release::of).toList(),
                with,
                new Origin(origin.text("source", ""), origin.text("date", "")));
    }

    /**
     * Returns the release that a version belongs to: the last one not later than it, else the oldest.
     *
     * @param version such as {@code 0.11.1}, {@code 2024-10} or {@code 4.4x}; null for the newest
     */
    public Release release(@Nullable String version) {
        if (version == null) {
            return releases.get(releases.size() - 1);
        }
        Release found = releases.get(0);
        for (Release release : releases) {
            if (Arrays.compare(numbers(release.from()), numbers(version)) <= 0) {
                found = release;
            }
        }
        return found;
    }

    /** Returns whether a published run of the release as written is compared; true if several frameworks are written. */
    public static boolean isValidated(String written) {
        List<String[]> named = Arrays.stream(written.split("\\+"))
                .map(part -> part.strip().split("\\s+", 2))
                .filter(part -> named(part[0]) != null)
                .toList();
        Releases framework = named.size() == 1 ? named(named.get(0)[0]) : null;
        return framework == null
                || framework
                        .release(named.get(0).length == 1 ? null : named.get(0)[1])
                        .validated();
    }

    /** Returns the oldest known release. */
    public Release oldest() {
        return releases.get(0);
    }

    /** Returns whether a version is older than the oldest known release; a year is not older than one of its months. */
    public boolean isTooOld(String version) {
        long[] first = numbers(oldest().from());
        long[] asked = numbers(version);
        return Arrays.compare(asked, Arrays.copyOf(first, Math.min(first.length, asked.length))) < 0;
    }

    /** Returns whether a string can be a version: it contains a number, which is a year if the project counts by years. */
    public boolean canBe(String version) {
        long[] asked = numbers(version);
        boolean byYear = isYear(numbers(oldest().from())[0]);
        return asked.length > 0 && (!byYear || isYear(asked[0]));
    }

    private static boolean isYear(long number) {
        return number >= FIRST_YEAR && number <= LAST_YEAR;
    }

    /** Returns the numbers of a version, to be compared one by one: 0.11 is later than 0.7.2, and 4.4x starts at 4.40. */
    private static long[] numbers(String version) {
        return Arrays.stream(version.replace('x', '0').split("\\D+"))
                .filter(number -> !number.isEmpty())
                .mapToLong(number -> number.length() > DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(number))
                .toArray();
    }

    /** Returns its catalog description by line. */
    public List<String> description() {
        List<String> lines = new ArrayList<>(List.of(title + " [" + origin.source() + ", " + origin.date() + "]"));
        for (Release release : releases) {
            describe("from " + release.from(), release, lines);
        }
        with.forEach((name, part) -> describe("+ " + name, part, lines));
        return lines;
    }

    private static void describe(String what, Release release, List<String> lines) {
        lines.add(what + ": " + words(release.settings()));
        release.kinds().forEach((kind, more) -> lines.add(what + ", under " + kind + ": " + words(more)));
        release.where()
                .forEach((key, more) ->
                        lines.add(what + ", where " + key + (key.contains("=") ? ": " : " is set: ") + words(more)));
    }

    private static String words(Map<String, String> settings) {
        List<String> words = new ArrayList<>();
        settings.forEach((key, value) -> words.add(key + ": " + value));
        return words.isEmpty() ? "nothing" : String.join(", ", words);
    }
}
