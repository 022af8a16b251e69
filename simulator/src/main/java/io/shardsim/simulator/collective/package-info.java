/**
 * Collectives as schedules of chunk transfers, in the manner of NCCL's device code: each rank runs, on each channel, a strictly ordered
 * list of primitives (send, receive-copy-send, receive-reduce-send, receive).
 *
 * <p>Here: who sends what to whom in which order. Not here: links, devices, virtual time, Pekko. To add an algorithm, write one class that
 * implements {@link io.shardsim.simulator.collective.CollectiveAlgorithm} and name it in a file {@code collectives/<name>.yaml}.
 */
package io.shardsim.simulator.collective;
