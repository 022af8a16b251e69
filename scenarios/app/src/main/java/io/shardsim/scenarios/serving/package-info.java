/**
 * HTTP for the demo and a worker's metrics: a server that neither slow nor many clients can block.
 *
 * <p>What is served, and to whom, is decided elsewhere.
 */
@NullMarked
package io.shardsim.scenarios.serving;

import org.jspecify.annotations.NullMarked;
