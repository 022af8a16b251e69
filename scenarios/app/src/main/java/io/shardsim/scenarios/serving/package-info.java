/**
 * HTTP of the demo and of a worker's meters: a server that slow clients, or many, cannot hold.
 *
 * <p>Not here: what is served, and to whom.
 */
@NullMarked
package io.shardsim.scenarios.serving;

import org.jspecify.annotations.NullMarked;
