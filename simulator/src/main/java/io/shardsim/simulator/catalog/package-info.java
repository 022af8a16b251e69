/**
 * Catalog entries as files: every file in a catalog folder of the class path, in class folders or any jar, is an entry, named after the file.
 *
 * <p>Here: files of constants, each {@link io.shardsim.simulator.catalog.Figure} with its unit, source and date
 * ({@link io.shardsim.simulator.catalog.FigureFolder}), and files that name a class ({@link io.shardsim.simulator.catalog.DescriptorFolder}). They
 * are read like a scenario: by key tables, with the position of every problem. Not here: any particular key. To add an entry, add a file; to add a
 * kind of entry, write its key table.
 */
@NullMarked
package io.shardsim.simulator.catalog;

import org.jspecify.annotations.NullMarked;
