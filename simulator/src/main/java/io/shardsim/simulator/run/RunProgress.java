package io.shardsim.simulator.run;

/**
 * Progress of a run.
 *
 * @param nowPs virtual time [ps]
 * @param events events executed so far
 * @param eventsMax approximate number of events without skipping; 0 while its devices are created
 */
public record RunProgress(long nowPs, long events, long eventsMax) {}
