/**
 * Collectives as schedules of chunk transfers, in the manner of NCCL's device code: each rank runs, on each channel, a strictly ordered
 * list of primitives (send, receive-copy-send, receive-reduce-send, receive).
 *
 * <p>Here: who sends what to whom in which order. Not here: links, devices, virtual time, Pekko.
 *
 * <p>To add an algorithm, write one file {@code collectives/<id>.yaml} that gives its name, kinds, source and rounds, or in place of rounds the name of a
 * public class that implements {@link io.shardsim.simulator.collective.CollectiveAlgorithm}. {@link io.shardsim.simulator.collective.CollectiveCatalog}
 * finds the file, and the contract test runs over it. {@link io.shardsim.simulator.collective.Chunks} cuts a buffer,
 * {@link io.shardsim.simulator.collective.PrimitiveList} writes primitives, {@link io.shardsim.simulator.collective.Rail} says by which NIC and in which order a
 * channel goes through a node, {@link io.shardsim.simulator.collective.SharedPrimitives} lets ranks share a list;
 * {@link io.shardsim.simulator.collective.RingAlgorithm} is all of a ring but what a member does with a chunk. These are open to jars of others.
 * {@code ProgramLoops} finds the loops in a list.
 */
package io.shardsim.simulator.collective;
