package io.shardsim.simulator.yaml;

/**
 * Problem in a file: the rule, the value and the remedy, in one line.
 *
 * @param file file name as given by the user
 */
public record Problem(String file, Position position, String message) {
    @Override
    public String toString() {
        return (position.equals(Position.NONE) ? file : file + ":" + position) + ": " + message;
    }
}
