package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.plan.Stream;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GapWordsTest {
    private static final Pattern PART = Pattern.compile("([\\d.,]+) (s|ms|us) (less|more) ");

    /** Parses the text: savings minus losses equal the gap, to the digit, and a gap with one cause has the right sign. */
    @Test
    void aSentenceSaysWhatTheFiguresSay() {
        Random random = new Random(56);
        int single = 0;
        for (int pair = 0; pair < 1_000; pair++) {
            StepGap gap = random(random);
            GapWords words = new GapWords(gap);
            String parts = GapWords.listed(words.parts());
            BigDecimal total = figure(words.total().split(" ")[0]);
            if (parts.startsWith(", all from ")) {
                single++;
                assertThat(parts)
                        .as(words.total())
                        .startsWith(total.signum() >= 0 ? ", all from less " : ", all from more ");
            } else {
                BigDecimal sum = BigDecimal.ZERO;
                Matcher part = PART.matcher(parts);
                while (part.find()) {
                    BigDecimal figure = figure(part.group(1));
                    sum = sum.add(part.group(3).equals("less") ? figure : figure.negate());
                }
                assertThat(sum).as(words.total() + parts).isEqualByComparingTo(total);
            }
        }
        assertThat(single).isGreaterThan(100);
    }

    private static BigDecimal figure(String text) {
        return new BigDecimal(text.replace(",", ""));
    }

    /** One to four parts, in either direction, from microseconds to minutes. */
    private static StepGap random(Random random) {
        int parts = 1 + random.nextInt(4);
        double scale = StrictMath.pow(10, 6 + 8 * random.nextDouble());
        long[] ps = new long[4];
        long sum = 0;
        for (int i = 0; i < parts; i++) {
            int place = (i + random.nextInt(4)) % 4;
            sum -= ps[place];
            ps[place] = (long) (scale * random.nextGaussian());
            sum += ps[place];
        }
        Map<Stream, Long> waiting = new EnumMap<>(Stream.class);
        waiting.put(Stream.GATHER, ps[0]);
        Map<StepGap.WorkPart, Long> work = new EnumMap<>(StepGap.WorkPart.class);
        work.put(StepGap.WorkPart.KERNELS, ps[1]);
        work.put(StepGap.WorkPart.RECOMPUTATION, ps[2]);
        return new StepGap(sum, waiting, work, ps[3], 0);
    }
}
