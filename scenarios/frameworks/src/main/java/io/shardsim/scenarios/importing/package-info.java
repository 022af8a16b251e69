/**
 * Imports scenarios from the configurations of training frameworks.
 *
 * <p>Data flows one way: files -> recognized kind -> importer -> {@link io.shardsim.scenarios.importing.Draft} -> scenario, with a verdict on every
 * key of every file. {@link io.shardsim.scenarios.importing.ForeignReader} reads a file into values with positions and never executes it.
 *
 * <p>Here: one {@link io.shardsim.scenarios.importing.Importer} and one key table (resources {@code importing/}) per kind of file. Not here: the
 * rules for valid scenarios; {@code scenario} checks every imported one. To add a kind, write its table; if a table cannot express it, write both and
 * list the class in {@link io.shardsim.scenarios.importing.Importers}.
 */
@NullMarked
package io.shardsim.scenarios.importing;

import org.jspecify.annotations.NullMarked;
