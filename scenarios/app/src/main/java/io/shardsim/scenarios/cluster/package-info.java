/**
 * Distributed runs: members of a Pekko cluster that run points for commands.
 *
 * <p>{@link io.shardsim.scenarios.cluster.Worker} is a member that runs points; one of the members hosts the
 * {@link io.shardsim.scenarios.cluster.Coordinator}, which assigns points; {@link io.shardsim.scenarios.cluster.ClusterRunner} connects for the
 * duration of a command and requests points. All three report their state once per second, and act on each other's reports; a message that is lost,
 * late or duplicated changes nothing. How a point is simulated is decided elsewhere.
 */
@NullMarked
package io.shardsim.scenarios.cluster;

import org.jspecify.annotations.NullMarked;
