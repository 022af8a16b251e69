/**
 * Configurations of training frameworks from a scenario: the way back of {@code importing}.
 *
 * <p>Data flows one way: point -> {@link io.shardsim.scenarios.exporting.Settings} -> {@link io.shardsim.scenarios.exporting.FrameworkWriter} -> files. What was
 * written is imported again at once, and {@link io.shardsim.scenarios.exporting.Exporter} tells every setting that came back otherwise, so that nothing is lost
 * in silence.
 *
 * <p>Here: one writer for each framework. Not here: which key of a file sets what, which the tables of keys of {@code importing} say for both directions.
 * To add a framework, write both and name the writer in {@link io.shardsim.scenarios.exporting.Framework}.
 */
@NullMarked
package io.shardsim.scenarios.exporting;

import org.jspecify.annotations.NullMarked;
