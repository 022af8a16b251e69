/**
 * Recorded runs for the teaching page: the documents that it reads, and the page itself.
 *
 * <p>This package defines recordings in JSON, the scripts that draw them, and the file that plays without a server. Requests for runs and the serving
 * of pages are elsewhere.
 */
@NullMarked
package io.shardsim.reports.replay;

import org.jspecify.annotations.NullMarked;
