/**
 * The teaching page's server: runs that a page asks for, windows of their recordings, and nothing else, to pages of its own origin.
 *
 * <p>Not here: how a run is simulated (evaluation), what a recording means (reports.replay), or how the page looks (resources beside reports.replay).
 */
@NullMarked
package io.shardsim.scenarios.demo;

import org.jspecify.annotations.NullMarked;
