/**
 * The studio page, on which a scenario is asked, changed and compared: {@link io.shardsim.scenarios.studio.StudioServer} gives it its choices, checks
 * its questions, and answers them like the command line.
 *
 * <p>This package manages waiting, caching and permissions. Answering questions, HTTP and the page's own files are elsewhere.
 */
@NullMarked
package io.shardsim.scenarios.studio;

import org.jspecify.annotations.NullMarked;
