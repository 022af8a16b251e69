/**
 * The composition root: {@link io.shardsim.scenarios.app.Main} creates the services of commands, and starts them.
 *
 * <p>This package only wires; nothing depends on it. It has no models, no wording, and no command-line options.
 */
@NullMarked
package io.shardsim.scenarios.app;

import org.jspecify.annotations.NullMarked;
