/**
 * What comes with the tool, one YAML file an entry: GPUs, instances and models under {@code catalog/} of this module's resources,
 * strategies and collectives under {@code strategies/} and {@code collectives/} of the simulator's.
 *
 * <p>Here: finding the files (there is no list of them to edit), reading them, and the figures they give with their sources. Not here:
 * scenarios. To add an entry, add a file; its name is the entry's name.
 */
@NullMarked
package io.shardsim.scenarios.catalog;

import org.jspecify.annotations.NullMarked;
