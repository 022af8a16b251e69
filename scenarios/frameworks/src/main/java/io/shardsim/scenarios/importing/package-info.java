/**
 * Scenarios from the configurations of training frameworks.
 *
 * <p>Data flows one way: files -> recognized kind -> importer -> {@link io.shardsim.scenarios.importing.Draft} -> scenario, with a verdict for every
 * key of every file. {@link io.shardsim.scenarios.importing.ForeignReader} reads a file into values with places and never executes any of it.
 *
 * <p>Here: one {@link io.shardsim.scenarios.importing.Importer} and one table of keys (resources {@code importing/}) for each kind of file. Not here:
 * what a scenario may say, which {@code question} knows and which checks every imported scenario. To add a kind, write its table; where no table can say it, write both and name the class in
 * {@link io.shardsim.scenarios.importing.Importers}.
 */
@NullMarked
package io.shardsim.scenarios.importing;

import org.jspecify.annotations.NullMarked;
