/**
 * Serialization between JVMs: only registered records and enums, lists, maps, numbers and strings.
 *
 * <p>{@link io.shardsim.scenarios.cluster.wire.WireTypes} finds every type that a message can hold by traversing the messages, so a new record
 * component needs no registration; {@link io.shardsim.scenarios.cluster.wire.WireCodec} encodes and decodes. This package knows nothing about the
 * meaning of messages, or about Pekko.
 */
@NullMarked
package io.shardsim.scenarios.cluster.wire;

import org.jspecify.annotations.NullMarked;
