package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Locale;

/** The verdict on a key of a foreign file. */
public enum Verdict {
    /** The scenario has the same setting. */
    MODELLED("modelled"),
    /** The scenario has a similar setting; the note says which. */
    APPROXIMATED("approximated"),
    /** Affects neither step time nor memory. */
    IRRELEVANT("irrelevant"),
    /** Ignored; the note says what that may change. */
    NOT_MODELLED("not modelled"),
    /** The result would be for a different training without it: rejected unless the user accepts that. */
    DECIDES_THE_ANSWER("decides the answer");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    /** Text in tables and results. */
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
