package io.shardsim.scenarios.importing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Characters, each with its offset in the script. */
final class ShellText {
    private final StringBuilder letters = new StringBuilder();
    private int[] offsets = new int[8];
    private int start;

    /** A word written at one position. */
    static ShellText at(int offset, String letters) {
        ShellText text = new ShellText();
        text.beginAt(offset);
        letters.chars().forEach(letter -> text.add((char) letter, offset));
        return text;
    }

    void add(char letter, int offset) {
        if (letters.length() == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * offsets.length);
        }
        offsets[letters.length()] = offset;
        letters.append(letter);
    }

    void add(ShellText other) {
        for (int i = 0; i < other.letters.length(); i++) {
            add(other.letters.charAt(i), other.offsets[i]);
        }
    }

    ShellText followedBy(ShellText other) {
        ShellText both = new ShellText();
        both.start = start;
        both.add(this);
        both.add(other);
        return both;
    }

    /** Sets the start of a word that may stay empty. */
    void beginAt(int offset) {
        start = offset;
    }

    /** Offset of a character. */
    int offset(int letter) {
        return offsets[letter];
    }

    /** Offset of the first character; the start of the word if it is empty. */
    int offset() {
        return letters.isEmpty() ? start : offsets[0];
    }

    int length() {
        return letters.length();
    }

    /** Offsets of all characters; the start of the word if it is empty. */
    IntStream places() {
        return letters.isEmpty() ? IntStream.of(start) : Arrays.stream(offsets, 0, letters.length());
    }

    /** The text from a character on. */
    ShellText from(int letter) {
        ShellText rest = new ShellText();
        rest.start = letter < letters.length() ? offsets[letter] : offsets[letter - 1];
        for (int i = letter; i < letters.length(); i++) {
            rest.add(letters.charAt(i), offsets[i]);
        }
        return rest;
    }

    /** Its parts, split at blanks. */
    List<ShellText> split() {
        List<ShellText> parts = new ArrayList<>();
        ShellText part = new ShellText();
        for (int i = 0; i < letters.length(); i++) {
            if (ShellLexer.isBlank(letters.charAt(i)) || letters.charAt(i) == '\n') {
                part = finish(parts, part);
            } else {
                part.add(letters.charAt(i), offsets[i]);
            }
        }
        finish(parts, part);
        return parts;
    }

    private static ShellText finish(List<ShellText> parts, ShellText part) {
        if (!part.letters.isEmpty()) {
            parts.add(part);
        }
        return new ShellText();
    }

    @Override
    public String toString() {
        return letters.toString();
    }
}
