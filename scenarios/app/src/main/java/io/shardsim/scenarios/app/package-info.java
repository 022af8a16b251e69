/**
 * The composition root: {@link io.shardsim.scenarios.app.Main} builds what the commands are given, and starts them.
 *
 * <p>Here: wiring alone. Nothing depends on this package. Not here: models, wording, options of the command line.
 */
@NullMarked
package io.shardsim.scenarios.app;

import org.jspecify.annotations.NullMarked;
