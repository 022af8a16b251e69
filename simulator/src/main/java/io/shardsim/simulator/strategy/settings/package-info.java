/**
 * Settings of a strategy: what its file declares, in which form, and what a scenario sets instead.
 *
 * <p>Must not know strategies or plans. A setting needs no code here unless it is written in a new form ({@link
 * io.shardsim.simulator.strategy.settings.ParameterForm}).
 */
@NullMarked
package io.shardsim.simulator.strategy.settings;

import org.jspecify.annotations.NullMarked;
