/**
 * The page in which a scenario is asked, changed and compared: {@link io.shardsim.scenarios.studio.StudioServer} gives it what it can choose from, looks at
 * what it asks, and has it answered as the command line would.
 *
 * <p>Here: who waits for which answer, what is kept, what a page may ask. Not here: how a question is answered, HTTP, the page's own files.
 */
@NullMarked
package io.shardsim.scenarios.studio;

import org.jspecify.annotations.NullMarked;
