/**
 * The catalog, one YAML file per entry: GPUs, instances and models in {@code catalog/} of this module's resources, strategies and collectives in
 * {@code strategies/} and {@code collectives/} of the simulator's.
 *
 * <p>This package finds the files (there is no list to edit), reads them, and returns figures with sources. It knows nothing about scenarios. To add
 * an entry, add a file; the file name is the entry's name.
 */
@NullMarked
package io.shardsim.scenarios.catalog;

import org.jspecify.annotations.NullMarked;
