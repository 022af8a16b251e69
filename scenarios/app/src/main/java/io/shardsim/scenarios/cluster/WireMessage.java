package io.shardsim.scenarios.cluster;

/** A message that may be sent to another member; {@link ClusterSerializer} serializes it with all its components. */
interface WireMessage {}
