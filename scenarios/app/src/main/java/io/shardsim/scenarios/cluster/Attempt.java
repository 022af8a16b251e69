package io.shardsim.scenarios.cluster;

/**
 * One try to run a point in parts, each on a member of its own. All parts of it begin or none does: a member that has given its part up takes it for over,
 * and waits for an attempt with a higher number.
 *
 * @param members a hash of those that run the parts, in order: another connection of the command may have chosen others
 */
record Attempt(Ticket ticket, int number, int members) {}
