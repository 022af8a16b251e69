/**
 * Questions: scenario files, importers, the command line, and the composition root that joins the other modules.
 *
 * <p>Nothing depends on this module. It is the only one that reads files and arguments of the user.
 */
@NullMarked
package io.shardsim.scenarios;

import org.jspecify.annotations.NullMarked;
