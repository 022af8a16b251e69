package io.shardsim.scenarios.fuzz;

import java.util.Arrays;

/** Shrinks a faulty input as long as it fails in the same way: drops halves, then quarters, down to single bytes. */
final class CutDown {
    /** Maximum inputs tried. */
    private static final int TRIES_MAX = 400;

    private CutDown() {}

    /** Runs the reader under test on an input. */
    interface Trial {
        Outcome outcome(byte[] input) throws InterruptedException;
    }

    static byte[] of(byte[] input, Outcome fault, Trial trial) throws InterruptedException {
        byte[] least = input;
        int tries = 0;
        for (int part = Math.max(1, least.length / 2); part >= 1 && tries < TRIES_MAX; part /= 2) {
            for (int at = 0; at < least.length && tries < TRIES_MAX; ) {
                byte[] shorter = without(least, at, Math.min(least.length, at + part));
                tries++;
                if (trial.outcome(shorter).equals(fault)) {
                    least = shorter;
                } else {
                    at += part;
                }
            }
        }
        return least;
    }

    private static byte[] without(byte[] bytes, int from, int until) {
        byte[] shorter = Arrays.copyOf(bytes, bytes.length - (until - from));
        System.arraycopy(bytes, until, shorter, from, bytes.length - until);
        return shorter;
    }
}
