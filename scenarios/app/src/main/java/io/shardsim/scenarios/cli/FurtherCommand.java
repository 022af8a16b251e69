package io.shardsim.scenarios.cli;

import java.util.concurrent.Callable;

/**
 * A command in a separate jar: a public class with picocli's {@code @Command(name = "...")} and a public no-argument constructor, listed in the jar's
 * {@code META-INF/services/io.shardsim.scenarios.cli.FurtherCommand}.
 *
 * <p>{@link #call} returns the exit status: 0 for success, 1 for a failure, 2 for wrong input. Results go to stdout, everything else to stderr.
 * Exceptions are printed, with status 1, or 2 for picocli's {@code ParameterException}. To run scenarios, use {@code io.shardsim.scenarios.api}.
 */
public interface FurtherCommand extends Callable<Integer> {}
