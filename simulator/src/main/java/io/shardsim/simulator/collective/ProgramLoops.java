package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Loops in a program: consecutive equal stretches of primitives, such as those of the chunks of a large buffer. Loops may be nested up to
 * {@value #LEVELS} levels. A primitive outside of any loop counts as a loop of one round.
 */
public final class ProgramLoops {
    /** Number of levels; the outermost is 0. */
    public static final int LEVELS = 2;
    /** Longest loop body considered, in primitives or inner loops. */
    private static final int BODY_MAX = 64;

    /** First primitive of the loop, primitives in its body, and number of rounds, each by level and primitive. */
    private final int[][] begin;

    private final int[][] length;
    private final int[][] rounds;

    private ProgramLoops(int primitives) {
        begin = new int[LEVELS][primitives];
        length = new int[LEVELS][primitives];
        rounds = new int[LEVELS][primitives];
        for (int level = 0; level < LEVELS; level++) {
            Arrays.setAll(begin[level], primitive -> primitive);
            Arrays.fill(length[level], 1);
            Arrays.fill(rounds[level], 1);
        }
    }

    /**
     * Consecutive primitives.
     *
     * @param kind equal for equal stretches
     * @param length number of primitives
     */
    private record Stretch(int kind, int length) {}

    /** Finds the loops of primitives in order. */
    public static ProgramLoops of(List<Primitive> primitives) {
        ProgramLoops loops = new ProgramLoops(primitives.size());
        Map<Object, Integer> kinds = new HashMap<>();
        List<Stretch> stretches = new ArrayList<>();
        for (Primitive primitive : primitives) {
            stretches.add(new Stretch(kinds.computeIfAbsent(primitive, key -> kinds.size()), 1));
        }
        for (int level = LEVELS - 1; level >= 0; level--) {
            stretches = loops.fold(stretches, level, kinds);
        }
        return loops;
    }

    /** Replaces each loop by one stretch. */
    private List<Stretch> fold(List<Stretch> stretches, int level, Map<Object, Integer> kinds) {
        List<Stretch> folded = new ArrayList<>();
        int primitive = 0;
        for (int at = 0; at < stretches.size(); ) {
            int body = bodyAt(stretches, at);
            int times = body == 0 ? 1 : rounds(stretches, at, body);
            List<Stretch> once = stretches.subList(at, at + Math.max(1, body));
            int bodyLength = once.stream().mapToInt(Stretch::length).sum();
            if (times > 1) {
                int end = primitive + times * bodyLength;
                Arrays.fill(begin[level], primitive, end, primitive);
                Arrays.fill(length[level], primitive, end, bodyLength);
                Arrays.fill(rounds[level], primitive, end, times);
                int kind = kinds.computeIfAbsent(List.of(List.copyOf(once), times), key -> kinds.size());
                folded.add(new Stretch(kind, times * bodyLength));
            } else {
                folded.add(once.get(0));
            }
            primitive += times * bodyLength;
            at += times * once.size();
        }
        return folded;
    }

    /** Returns the length of the shortest body that repeats at least once from here on; 0 if there is none. */
    private static int bodyAt(List<Stretch> stretches, int at) {
        for (int body = 1; body <= BODY_MAX && at + 2 * body <= stretches.size(); body++) {
            if (repeats(stretches, at, at + body, body)) {
                return body;
            }
        }
        return 0;
    }

    private static int rounds(List<Stretch> stretches, int at, int body) {
        int rounds = 1;
        while (at + (rounds + 1) * body <= stretches.size() && repeats(stretches, at, at + rounds * body, body)) {
            rounds++;
        }
        return rounds;
    }

    private static boolean repeats(List<Stretch> stretches, int at, int again, int body) {
        for (int i = 0; i < body; i++) {
            if (stretches.get(at + i).kind() != stretches.get(again + i).kind()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the corresponding primitive in the first round of all loops that contain a primitive. */
    public int firstRound(int primitive) {
        int place = primitive;
        for (int level = LEVELS - 1; level >= 0; level--) {
            place -= round(level, place) * length[level][place];
        }
        return place;
    }

    /** Returns the round of its loop that a primitive is in, from 0. */
    public int round(int level, int primitive) {
        return (primitive - begin[level][primitive]) / length[level][primitive];
    }

    /** Returns the number of rounds of the loop after the one that a primitive is in. */
    public int roundsLeft(int level, int primitive) {
        return rounds[level][primitive] - 1 - round(level, primitive);
    }

    /** Returns the number of primitives from one round to the next. */
    public int length(int level, int primitive) {
        return length[level][primitive];
    }

    /** Returns whether a loop starts another round with a primitive. */
    public boolean beginsAgain(int primitive) {
        for (int level = 0; level < LEVELS; level++) {
            int behind = primitive - begin[level][primitive];
            if (behind > 0 && behind % length[level][primitive] == 0) {
                return true;
            }
        }
        return false;
    }
}
