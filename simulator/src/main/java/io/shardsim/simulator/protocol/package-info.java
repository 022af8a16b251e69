/**
 * The messages that devices send each other, and themselves, in virtual time.
 *
 * <p>Here: records. Not here: what a device does about them.
 */
package io.shardsim.simulator.protocol;
