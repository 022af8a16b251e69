package io.shardsim.scenarios.cli;

import java.util.concurrent.Callable;

/**
 * A command in a jar of its own: a public class with picocli's {@code @Command(name = "...")} and a public constructor without parameters, on a line of the jar's
 * {@code META-INF/services/io.shardsim.scenarios.cli.FurtherCommand}.
 *
 * <p>{@link #call} returns the exit status: 0 for done, 1 for a failure, 2 for wrong input. Results go to standard output, all else to standard error. What it throws is told
 * with status 1, picocli's {@code ParameterException} with 2. To run scenarios it has {@code io.shardsim.scenarios.api}.
 */
public interface FurtherCommand extends Callable<Integer> {}
