package io.shardsim.scenarios.prose;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds text that is hard to read: sentences that are too long, and home-made words for which the field has one.
 *
 * @param words words to avoid, and their replacements
 */
record Prose(List<Word> words) {
    /** Maximum words of half of a page's sentences. */
    static final int MEDIAN_MOST = 18;
    /** Maximum words of nine of ten sentences. */
    static final int NINE_OF_TEN_MOST = 28;
    /** Maximum words of any sentence. */
    static final int LONGEST_MOST = 45;

    private static final int CONTEXT = 60;

    /**
     * A home-made word.
     *
     * @param better the word that readers know
     */
    record Word(Pattern pattern, String better) {}

    /** Reads lines such as {@code \bmultiprocessors?\b => SM}; those that begin with # are comments. */
    static Prose of(String lines) {
        return new Prose(lines.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" => ", 2))
                .map(pair -> new Word(Pattern.compile(pair[0]), pair[1]))
                .toList());
    }

    /** Returns what to change in a Markdown page, one line each. */
    List<String> ofPage(String name, String markdown) {
        List<String> findings = new ArrayList<>();
        List<String> sentences = Sentences.ofPage(markdown);
        long[] lengths = sentences.stream().mapToLong(Sentences::words).sorted().toArray();
        if (lengths.length > 0) {
            quantile(findings, name, "the median sentence has", lengths[lengths.length / 2], MEDIAN_MOST);
            quantile(
                    findings,
                    name,
                    "nine of ten sentences have up to",
                    lengths[(int) (0.9 * (lengths.length - 1))],
                    NINE_OF_TEN_MOST);
        }
        int limit = findings.isEmpty() ? LONGEST_MOST : NINE_OF_TEN_MOST;
        sentences.forEach(sentence -> tooLong(findings, name, sentence, limit));
        homeMade(findings, name, Sentences.text(markdown));
        return findings;
    }

    /** Returns what to change in the texts of a Java source, one line each. */
    List<String> ofSource(String name, String java) {
        List<String> findings = new ArrayList<>();
        for (String text : Sentences.texts(java)) {
            Sentences.ofText(text).forEach(sentence -> tooLong(findings, name, sentence, LONGEST_MOST));
            homeMade(findings, name, text);
        }
        return findings;
    }

    private static void quantile(List<String> findings, String name, String which, long words, int most) {
        if (words > most) {
            findings.add(name + ": " + which + " " + words + " words, write " + most + " or fewer");
        }
    }

    private static void tooLong(List<String> findings, String name, String sentence, int most) {
        int words = Sentences.words(sentence);
        if (words > most) {
            findings.add(name + ": " + words + " words, write " + most + " or fewer: " + sentence);
        }
    }

    private void homeMade(List<String> findings, String name, String text) {
        for (Word word : words) {
            Matcher matcher = word.pattern().matcher(text);
            while (matcher.find()) {
                findings.add(name + ": \"" + matcher.group() + "\", write " + word.better() + ": ..."
                        + text.substring(
                                Math.max(0, matcher.start() - CONTEXT),
                                Math.min(text.length(), matcher.end() + CONTEXT))
                        + "...");
            }
        }
    }
}
