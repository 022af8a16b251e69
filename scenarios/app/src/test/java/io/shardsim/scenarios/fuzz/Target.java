package io.shardsim.scenarios.fuzz;

/** An entry point for untrusted input. It draws inputs, and returns their outcomes. */
public interface Target {
    /** Returns the input of a seed, always the same. */
    byte[] input(long seed) throws Exception;

    /** Returns the outcome of an input. Anything thrown is a fault of the tested code. */
    Outcome outcome(byte[] input) throws Exception;
}
