package io.shardsim.scenarios.cluster;

/** A message that may cross to another member; written by {@link ClusterSerializer}, as is everything that its components hold. */
interface WireMessage {}
