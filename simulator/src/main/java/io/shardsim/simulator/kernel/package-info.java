/**
 * Virtual time: the order in which device actors receive what they send each other, and nothing else.
 *
 * <p>{@link io.shardsim.simulator.kernel.VirtualTimeDispatcher} is a Pekko dispatcher that holds back every message which carries a virtual
 * time and delivers these in event-key order. {@link io.shardsim.simulator.kernel.LogicalProcess} is the actor that lets it advance. Not here: anything
 * that knows what a message means.
 */
package io.shardsim.simulator.kernel;
