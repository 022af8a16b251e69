package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class OutagesTest {
    /** Down from 0 to 3, 10 to 13 and so on; compared with a count picosecond by picosecond. */
    @Test
    void aTransmissionWaitsWhileTheLinkIsDown() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long every = 2 + random.nextInt(20);
            long down = 1 + random.nextInt((int) every - 1);
            Outages outages = new Outages(every, down);
            long start = outages.up(random.nextInt(100));
            assertThat(start % every).isGreaterThanOrEqualTo(down);
            int busy = random.nextInt(60);
            long end = start;
            for (int left = busy; left > 0; end++) {
                left -= end % every >= down ? 1 : 0;
            }
            assertThat(outages.after(start, busy))
                    .as("%s from %d, %d", outages, start, busy)
                    .isEqualTo(end);
        }
        assertThat(Outages.NONE.up(7)).isEqualTo(7);
        assertThat(Outages.NONE.after(7, 5)).isEqualTo(12);
    }
}
