/**
 * Results as documents: JSON, CSV, a terminal table, an HTML page.
 *
 * <p>This package handles order, words, units and layout; arithmetic on results belongs one package up. To add a format, write one class that takes a
 * {@link io.shardsim.reports.ScenarioResult}.
 */
@NullMarked
package io.shardsim.reports.writing;

import org.jspecify.annotations.NullMarked;
