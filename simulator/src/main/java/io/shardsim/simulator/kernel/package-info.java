/**
 * Virtual time: the order in which device actors receive each other's messages, and nothing else.
 *
 * <p>{@link io.shardsim.simulator.kernel.VirtualTimeDispatcher} is a Pekko dispatcher that holds back messages with a virtual time and delivers them
 * in event-key order. {@link io.shardsim.simulator.kernel.LogicalProcess} is the actor that advances it. Not here: the meaning of messages.
 */
package io.shardsim.simulator.kernel;
