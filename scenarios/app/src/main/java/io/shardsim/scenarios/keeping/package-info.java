/**
 * Points of a sweep that are done, kept in the report's folder until all are, so that a run which was killed can go on.
 *
 * <p>Here: the files and what names them. Not here: reports, and how points run. Another result to keep is one more type of the codec.
 */
@NullMarked
package io.shardsim.scenarios.keeping;

import org.jspecify.annotations.NullMarked;
