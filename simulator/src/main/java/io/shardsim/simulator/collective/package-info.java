/**
 * Collectives as schedules of chunk transfers, modelled on NCCL's device code: each rank runs, on each channel, a strictly ordered list of primitives
 * (send, receive-copy-send, receive-reduce-send, receive).
 *
 * <p>Here: who sends what to whom in which order. Not here: links, devices, virtual time, Pekko.
 *
 * <p>To add an algorithm, write one file {@code collectives/<id>.yaml} with its name, kinds, source and rounds, or instead of rounds the name of a
 * public class that implements {@link io.shardsim.simulator.collective.CollectiveAlgorithm}.
 * {@link io.shardsim.simulator.collective.CollectiveCatalog} finds the file, and the contract test covers it.
 *
 * <p>{@link io.shardsim.simulator.collective.Chunks} cuts a buffer, {@link io.shardsim.simulator.collective.PrimitiveList} writes primitives,
 * {@link io.shardsim.simulator.collective.Rail} gives a channel's NIC and order in a node, {@link io.shardsim.simulator.collective.SharedPrimitives}
 * lets ranks share a list. {@link io.shardsim.simulator.collective.RingAlgorithm} is a ring except for a member's work on a chunk. Jars can use these
 * classes. {@code ProgramLoops} finds the loops in a list.
 */
package io.shardsim.simulator.collective;
