package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Stream;

/** Operation of rank 0 on the timeline, start and end in virtual time [ps]. */
public record OperationSpan(int operation, Stream stream, String label, long startPs, long endPs) {}
