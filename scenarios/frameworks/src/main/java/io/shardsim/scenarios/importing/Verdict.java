package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Locale;

/** What becomes of a key of a foreign file. */
public enum Verdict {
    /** The scenario says the same. */
    MODELLED("modelled"),
    /** The scenario says something close; the note says what. */
    APPROXIMATED("approximated"),
    /** Changes no step time and no memory of a step. */
    IRRELEVANT("irrelevant"),
    /** The scenario leaves it out; the note says what that may change. */
    NOT_MODELLED("not modelled"),
    /** Without it the answer is one to another question: refused unless the user accepts that. */
    DECIDES_THE_ANSWER("decides the answer");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    /** As tables and results write it. */
    public String words() {
        return words;
    }

    static List<String> allWords() {
        return List.of(
                MODELLED.words, APPROXIMATED.words, IRRELEVANT.words, NOT_MODELLED.words, DECIDES_THE_ANSWER.words);
    }

    static Verdict of(String words) {
        return valueOf(words.toUpperCase(Locale.ROOT).replace(' ', '_'));
    }
}
