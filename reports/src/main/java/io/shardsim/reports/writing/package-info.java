/**
 * Results as documents: JSON, CSV, a table for the terminal, an HTML page.
 *
 * <p>Here: order, words, units and layout. Not here: arithmetic on results, which belongs one package up. To add a format, write one class
 * that takes a {@link io.shardsim.reports.ScenarioResult}.
 */
@NullMarked
package io.shardsim.reports.writing;

import org.jspecify.annotations.NullMarked;
