/**
 * Collectives as schedules of chunk transfers, in the manner of NCCL's device code: each rank runs, on each channel, a strictly ordered
 * list of primitives (send, receive-copy-send, receive-reduce-send, receive).
 *
 * <p>Here: who sends what to whom in which order. Not here: links, devices, virtual time, Pekko.
 *
 * <p>To add an algorithm, write one public class that implements {@link io.shardsim.simulator.collective.CollectiveAlgorithm} and one file
 * {@code collectives/<id>.yaml} that gives its name, class, kinds and source. {@link io.shardsim.simulator.collective.CollectiveCatalog}
 * finds the file, and the contract test runs over it. {@code Chunks} cuts a buffer, {@code PrimitiveList} writes primitives,
 * {@code Rail} says by which NIC and in which order a channel goes through a node, {@code SharedPrimitives} lets ranks share a list,
 * {@code ProgramLoops} finds the loops in it.
 */
package io.shardsim.simulator.collective;
