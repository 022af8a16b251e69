/**
 * The command line: one class per command, no simulation.
 *
 * <p>To add a command, write its class and list it among the subcommands of {@link io.shardsim.scenarios.cli.ShardsimCommand}. A separate jar
 * implements {@link io.shardsim.scenarios.cli.FurtherCommand}.
 */
@NullMarked
package io.shardsim.scenarios.cli;

import org.jspecify.annotations.NullMarked;
