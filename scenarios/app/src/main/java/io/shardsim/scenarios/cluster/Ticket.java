package io.shardsim.scenarios.cluster;

/**
 * One point of one command.
 *
 * @param job the command that asks
 * @param number of the point in it
 */
record Ticket(String job, int number) {
    @Override
    public String toString() {
        return job + "/" + number;
    }
}
