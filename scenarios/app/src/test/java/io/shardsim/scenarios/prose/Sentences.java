package io.shardsim.scenarios.prose;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sentences that people read: those of a Markdown page, and those of the string literals of a Java source, without headings, tables and code. */
final class Sentences {
    /** Minimum words of a sentence; shorter literals are keys and labels. */
    private static final int LITERAL_WORDS_LEAST = 6;

    private static final Pattern FENCE = Pattern.compile("```.*?```|<!--.*?-->", Pattern.DOTALL);
    private static final Pattern NOT_PROSE = Pattern.compile("\\||#| {4}");
    private static final Pattern ITEM = Pattern.compile("\\s*([-*]|\\d+\\.) ");
    private static final Pattern LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern EMPHASIS = Pattern.compile("\\*+");
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?:;])\\s+(?=[A-Z`\"(])");
    /** Messages say what is wrong, then what to write instead. */
    private static final Pattern MESSAGE_END = Pattern.compile("(?<=[.!?;])\\s+");

    private static final Pattern COMMENT_OR_LITERAL = Pattern.compile(
            "/\\*.*?\\*/|//[^\n]*|'(?:[^'\\\\]|\\\\.)+'|\"\"\".*?\"\"\"|(?<literal>\"(?:[^\"\\\\\n]|\\\\.)*\")",
            Pattern.DOTALL);

    private Sentences() {}

    /** Returns a page without code blocks and comments, with normalized white space, to search for words. */
    static String text(String markdown) {
        return FENCE.matcher(markdown).replaceAll(" ").replaceAll("\\s+", " ");
    }

    /** Returns the sentences of a Markdown page, in order. */
    static List<String> ofPage(String markdown) {
        List<StringBuilder> blocks = new ArrayList<>(List.of(new StringBuilder()));
        for (String line : FENCE.matcher(markdown).replaceAll("\n").split("\n")) {
            Matcher item = ITEM.matcher(line);
            boolean begins = item.lookingAt();
            if (begins || line.isBlank()) {
                blocks.add(new StringBuilder());
            }
            if (!NOT_PROSE.matcher(line).lookingAt()) {
                blocks.get(blocks.size() - 1)
                        .append(line.substring(begins ? item.end() : 0).strip())
                        .append(' ');
            }
        }
        return blocks.stream()
                .map(block ->
                        EMPHASIS.matcher(LINK.matcher(block).replaceAll("$1")).replaceAll(""))
                .flatMap(block -> Arrays.stream(SENTENCE_END.split(block)))
                .map(String::strip)
                .filter(sentence -> words(sentence) > 2)
                .toList();
    }

    /** Returns the texts of a Java source, with adjacent literals joined and values between them as {@code N}. */
    static List<String> texts(String java) {
        List<StringBuilder> texts = new ArrayList<>();
        Matcher matcher = COMMENT_OR_LITERAL.matcher(java);
        int end = 0;
        while (matcher.find()) {
            String literal = matcher.group("literal");
            if (literal != null) {
                String between = java.substring(end, matcher.start()).strip();
                boolean joined = end > 0 && between.startsWith("+") && between.endsWith("+") && !between.contains(";");
                if (!joined) {
                    texts.add(new StringBuilder());
                }
                texts.get(texts.size() - 1)
                        .append(joined && between.length() > 1 ? "N" : "")
                        .append(literal, 1, literal.length() - 1);
                end = matcher.end();
            }
        }
        return texts.stream()
                .map(StringBuilder::toString)
                .filter(text -> words(text) >= LITERAL_WORDS_LEAST)
                .toList();
    }

    /** Returns the sentences of such a text. */
    static List<String> ofText(String text) {
        return List.of(MESSAGE_END.split(text));
    }

    /** Counts the words of a sentence: parts between spaces that contain a letter or a digit. */
    static int words(String sentence) {
        return (int) Arrays.stream(sentence.split("\\s+"))
                .filter(word -> word.chars().anyMatch(Character::isLetterOrDigit))
                .count();
    }
}
