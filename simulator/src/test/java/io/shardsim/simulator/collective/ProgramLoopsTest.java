package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProgramLoopsTest {
    private static final int OUTER = 0;
    private static final int INNER = 1;

    /** Returns one primitive per letter. */
    private static List<Primitive> program(String letters) {
        return letters.chars()
                .mapToObj(letter -> Primitive.of(1, 0, 0, 1, letter, false))
                .toList();
    }

    @Test
    void chunksOfARingAreALoop() {
        ProgramLoops loops = ProgramLoops.of(program("abcabcabcabd"));

        assertThat(IntStream.range(0, 12).map(loops::firstRound)).containsExactly(0, 1, 2, 0, 1, 2, 0, 1, 2, 9, 10, 11);
        assertThat(loops.round(INNER, 7)).isEqualTo(2);
        assertThat(loops.roundsLeft(INNER, 7)).isZero();
        assertThat(loops.roundsLeft(INNER, 1)).isEqualTo(2);
        assertThat(loops.length(INNER, 7)).isEqualTo(3);
        assertThat(IntStream.range(0, 12).filter(loops::beginsAgain)).containsExactly(3, 6);
    }

    @Test
    void loopsHoldLoops() {
        ProgramLoops loops = ProgramLoops.of(program("xababcababcy"));

        assertThat(IntStream.range(0, 12).map(loops::firstRound)).containsExactly(0, 1, 2, 1, 2, 5, 1, 2, 1, 2, 5, 11);
        assertThat(loops.round(OUTER, 9)).isEqualTo(1);
        assertThat(loops.round(INNER, 9)).isEqualTo(1);
        assertThat(loops.roundsLeft(OUTER, 3)).isEqualTo(1);
        assertThat(loops.length(OUTER, 3)).isEqualTo(5);
        assertThat(IntStream.range(0, 12).filter(loops::beginsAgain)).containsExactly(3, 6, 8);
    }

    /** Parts left out of a state within a loop must not matter. */
    @Test
    void everyRoundHoldsEqualPrimitivesInEqualPlaces() {
        Random random = new Random(3);
        for (int i = 0; i < 500; i++) {
            List<Primitive> primitives = looping(random);
            ProgramLoops loops = ProgramLoops.of(primitives);
            for (int at = 0; at < primitives.size(); at++) {
                assertThat(primitives.get(loops.firstRound(at))).isEqualTo(primitives.get(at));
                for (int level = 0; level < ProgramLoops.LEVELS; level++) {
                    if (loops.roundsLeft(level, at) > 0) {
                        int next = at + loops.length(level, at);
                        assertThat(loops.firstRound(next)).isEqualTo(loops.firstRound(at));
                        assertThat(loops.round(level, next)).isEqualTo(loops.round(level, at) + 1);
                        assertThat(loops.roundsLeft(level, next)).isEqualTo(loops.roundsLeft(level, at) - 1);
                        assertThat(loops.round(1 - level, next)).isEqualTo(loops.round(1 - level, at));
                        assertThat(loops.roundsLeft(1 - level, next)).isEqualTo(loops.roundsLeft(1 - level, at));
                    }
                }
            }
        }
    }

    private static List<Primitive> looping(Random random) {
        List<Primitive> all = new ArrayList<>();
        for (int stretch = 0; stretch < 3; stretch++) {
            List<Primitive> body = new ArrayList<>();
            for (int part = random.nextInt(3); part >= 0; part--) {
                List<Primitive> inner = program("abcd".substring(0, 1 + random.nextInt(4)));
                for (int round = random.nextInt(4); round >= 0; round--) {
                    body.addAll(inner);
                }
            }
            for (int round = random.nextInt(4); round >= 0; round--) {
                all.addAll(body);
            }
        }
        return all;
    }
}
