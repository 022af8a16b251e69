package io.shardsim.scenarios.cluster;

/**
 * Identifies a point of a command.
 *
 * @param job the requesting command
 * @param number number of the point in the command
 */
record Ticket(String job, int number) {
    @Override
    public String toString() {
        return job + "/" + number;
    }
}
