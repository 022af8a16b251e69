package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a program goes round in loops: stretches of primitives that follow one another, equal to the last number, such as the chunks of a large buffer.
 * Loops may hold loops, {@value #LEVELS} levels of them. A primitive that is in no loop is in one of a single round.
 */
public final class ProgramLoops {
    /** The outermost level is 0. */
    public static final int LEVELS = 2;
    /** Longest body that is looked for, in primitives or inner loops. */
    private static final int BODY_MAX = 64;

    /** For each level and primitive: first primitive of its loop, primitives in the loop's body, and how often it is gone through. */
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
     * Primitives that belong together.
     *
     * @param kind equal for equal stretches
     * @param length in primitives
     */
    private record Stretch(int kind, int length) {}

    /** The loops of primitives in order. */
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

    /** Makes one stretch of each loop over shorter ones. */
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

    /** Length of the shortest body that is gone through at least twice from here on; 0 when there is none. */
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

    /** The equal primitive in the first round of all loops that a primitive is in. */
    public int firstRound(int primitive) {
        int place = primitive;
        for (int level = LEVELS - 1; level >= 0; level--) {
            place -= round(level, place) * length[level][place];
        }
        return place;
    }

    /** In which round of its loop a primitive is, counted from 0. */
    public int round(int level, int primitive) {
        return (primitive - begin[level][primitive]) / length[level][primitive];
    }

    /** Rounds of the loop behind the one that a primitive is in. */
    public int roundsLeft(int level, int primitive) {
        return rounds[level][primitive] - 1 - round(level, primitive);
    }

    /** Primitives from one round to the next. */
    public int length(int level, int primitive) {
        return length[level][primitive];
    }

    /** True when a loop begins once more with a primitive. */
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
