/**
 * What crosses between JVMs, as bytes: records, enums, lists, maps, numbers and texts that were named beforehand, and nothing else.
 *
 * <p>{@link io.shardsim.scenarios.cluster.wire.WireTypes} finds every type that a message can hold by walking from the messages, so a new
 * component of a record needs no registration of its own; {@link io.shardsim.scenarios.cluster.wire.WireCodec} writes and reads. Not here: what a message
 * means, and Pekko.
 */
@NullMarked
package io.shardsim.scenarios.cluster.wire;

import org.jspecify.annotations.NullMarked;
