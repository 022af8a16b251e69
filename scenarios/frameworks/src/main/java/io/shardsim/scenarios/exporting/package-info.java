/**
 * Configurations of training frameworks from a scenario: the reverse of {@code importing}.
 *
 * <p>Data flows one way: point -> {@link io.shardsim.scenarios.exporting.Settings} -> {@link io.shardsim.scenarios.exporting.FrameworkWriter} ->
 * files. The files are imported again immediately, and {@link io.shardsim.scenarios.exporting.Exporter} reports every setting that differs, so that
 * nothing is lost silently.
 *
 * <p>Here: one writer per framework. Not here: which key sets what; the key tables of {@code importing} define that for both directions. To add a
 * framework, write both and list the writer in {@link io.shardsim.scenarios.exporting.Framework}.
 */
@NullMarked
package io.shardsim.scenarios.exporting;

import org.jspecify.annotations.NullMarked;
