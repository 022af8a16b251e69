/**
 * The teaching page's server: runs that a page requests, and windows of their recordings, only for pages of its own origin.
 *
 * <p>Runs are simulated in evaluation; recordings are defined in reports.replay, and the page's look by the resources next to it.
 */
@NullMarked
package io.shardsim.scenarios.demo;

import org.jspecify.annotations.NullMarked;
