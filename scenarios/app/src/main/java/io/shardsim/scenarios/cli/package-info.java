/**
 * The command line: one class per command, nothing that knows how to simulate.
 *
 * <p>To add a command, write its class and name it among the subcommands of {@link
 * io.shardsim.scenarios.cli.ShardsimCommand}. A jar of others has a {@link io.shardsim.scenarios.cli.FurtherCommand}.
 */
@NullMarked
package io.shardsim.scenarios.cli;

import org.jspecify.annotations.NullMarked;
