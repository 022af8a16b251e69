/**
 * Settings of a strategy: declared by its file with their forms, overridden by a scenario.
 *
 * <p>Must not depend on strategies or plans. A setting needs no code here unless it has a new form
 * ({@link io.shardsim.simulator.strategy.settings.ParameterForm}).
 */
@NullMarked
package io.shardsim.simulator.strategy.settings;

import org.jspecify.annotations.NullMarked;
