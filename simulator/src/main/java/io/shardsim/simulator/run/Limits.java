package io.shardsim.simulator.run;

import io.shardsim.simulator.TooLargeException;

/** What the fields of an event's order can count. */
final class Limits {
    private Limits() {}

    static void require(String what, int value, int limit) {
        if (value > limit) {
            throw new TooLargeException(what + ": " + value + " > " + limit + "; make the run smaller");
        }
    }
}
