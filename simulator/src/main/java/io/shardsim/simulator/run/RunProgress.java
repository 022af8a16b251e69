package io.shardsim.simulator.run;

/**
 * How far a run is.
 *
 * @param nowPs virtual time [ps]
 * @param events executed so far
 * @param eventsMax about as many as the run has if none is skipped; 0 while its devices are made
 */
public record RunProgress(long nowPs, long events, long eventsMax) {}
