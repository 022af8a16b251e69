package io.shardsim.reports.replay;

import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Label;
import io.shardsim.simulator.observation.Recording.Spans;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * States of every simulated rank over the step, sampled densely enough that a page playing the whole step shows no rank in another one's state. Ranks
 * with equal states share a string with one hexadecimal digit per sample, a sum: 1 computes, 2 gathers, 4 reduces, 8 other communication. As many
 * letters follow for compute: a for work, then each stream it waits for, in the order of {@link StreamLook#all}; the last for idle.
 */
final class RankStates {
    /** Number of samples, four for each frame that a page draws of a step. */
    private static final int LOOKS = 2_400;

    private final Recording recording;
    private final double lookPs;

    RankStates(Recording recording) {
        this.recording = recording;
        lookPs = (double) recording.totals().last()[0] / LOOKS;
    }

    /** Returns the strings, each rank's index among them, and whether every operation was kept; states of compute are known even if not. */
    Map<String, Object> document() {
        Map<String, Integer> texts = new LinkedHashMap<>();
        Map<String, Integer> ranks = new LinkedHashMap<>();
        long kept = recording.spans().values().stream().mapToLong(Spans::size).sum();
        recording.spans().forEach((rank, spans) -> {
            String text = text(spans);
            texts.putIfAbsent(text, texts.size());
            ranks.put(String.valueOf(rank), texts.get(text));
        });
        return new JsonObject()
                .with("texts", List.copyOf(texts.keySet()))
                .with("ranks", ranks)
                .with("complete", kept < Recording.SPANS_MAX);
    }

    private String text(Spans spans) {
        byte[] states = new byte[LOOKS];
        long endPs = recording.totals().last()[0];
        recording.tellAll(
                spans,
                endPs,
                (operation, startPs, stopPs) ->
                        mark(states, startPs, stopPs, state(recording.labels().get(operation))));
        StringBuilder text = new StringBuilder(LOOKS);
        for (byte state : states) {
            text.append(Character.forDigit(state, 16));
        }
        char[] doing = new char[LOOKS];
        Arrays.fill(doing, 'a');
        recording.tellWaits(spans, 0, endPs, (stream, startPs, stopPs) -> {
            int until = look(stopPs);
            Arrays.fill(doing, Math.min(until, look(startPs)), until, (char) ('a' + Overview.part(stream)));
        });
        return text.append(doing).toString();
    }

    /** Marks a state; each sample is in the middle of its share of the step. */
    private void mark(byte[] states, long startPs, long stopPs, byte state) {
        for (int look = look(startPs); look < look(stopPs); look++) {
            states[look] |= state;
        }
    }

    private int look(long ps) {
        return Math.max(0, Math.min(LOOKS, (int) Math.ceil(ps / lookPs - 0.5)));
    }

    private static byte state(Label label) {
        return (byte) StreamLook.of(label.stream()).mark().bit();
    }
}
