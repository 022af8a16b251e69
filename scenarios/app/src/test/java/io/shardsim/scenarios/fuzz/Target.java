package io.shardsim.scenarios.fuzz;

/** A door through which strangers' input comes in. It draws inputs, and judges what becomes of one. */
public interface Target {
    /** An input of a seed: always the same one. */
    byte[] input(long seed) throws Exception;

    /** What becomes of an input. Whatever this throws is a fault of what lies behind the door. */
    Outcome outcome(byte[] input) throws Exception;
}
