/**
 * Beyond one JVM: members of a Pekko cluster that run points for whoever asks.
 *
 * <p>{@link io.shardsim.scenarios.cluster.Worker} is a member that runs points; one of the members hosts the
 * {@link io.shardsim.scenarios.cluster.Coordinator}, which hands points out; {@link io.shardsim.scenarios.cluster.ClusterRunner} joins for the time of a
 * command and asks. All three say once a second how things stand for them, and act on what the others say; a message that is lost, late or doubled
 * changes nothing. Not here: how a point is simulated.
 */
@NullMarked
package io.shardsim.scenarios.cluster;

import org.jspecify.annotations.NullMarked;
