/**
 * Scenarios and their user interfaces, in three modules: core (questions and answers), frameworks (their configurations) and app (command line,
 * cluster, pages).
 */
@NullMarked
package io.shardsim.scenarios;

import org.jspecify.annotations.NullMarked;
