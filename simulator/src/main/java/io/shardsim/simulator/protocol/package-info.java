/**
 * Messages that devices send each other, and themselves, in virtual time.
 *
 * <p>Here: records. Not here: how a device handles them.
 */
package io.shardsim.simulator.protocol;
