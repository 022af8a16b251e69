/**
 * Questions and their doors. Three modules hold them: core (what can be asked, and the answers), frameworks (their configurations) and app (command line,
 * cluster, pages).
 */
@NullMarked
package io.shardsim.scenarios;

import org.jspecify.annotations.NullMarked;
