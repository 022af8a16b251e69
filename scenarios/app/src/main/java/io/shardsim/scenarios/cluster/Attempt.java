package io.shardsim.scenarios.cluster;

/**
 * One attempt to run a point split across members. All its parts start or none does: a member that has given up its part considers the attempt over,
 * and waits for one with a higher number.
 *
 * @param members hash of the members that run the parts, in order: another connection of the command may have chosen others
 */
record Attempt(Ticket ticket, int number, int members) {}
