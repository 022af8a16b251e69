package io.shardsim.simulator.yaml;

/**
 * One thing that is wrong in a file: the rule, the value and the remedy, in one line.
 *
 * @param file as the user named it
 */
public record Problem(String file, Position position, String message) {
    @Override
    public String toString() {
        return (position.equals(Position.NONE) ? file : file + ":" + position) + ": " + message;
    }
}
