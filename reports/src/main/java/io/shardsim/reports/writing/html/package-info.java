/**
 * The report as one self-contained HTML file: no fonts, no requests, and without scripts every figure is a table.
 *
 * <p>This package defines the figures, as data ({@link io.shardsim.reports.writing.html.Figure}), but not their meaning. {@code report.js} turns each
 * kind of figure into a chart of Apache ECharts, which is embedded in the file; {@code report.jte} is the page, {@code report.css} its style,
 * {@link io.shardsim.reports.writing.html.ReportPage} its model. To add a figure, write a class that returns a {@code Figure} of an existing kind,
 * name it in {@code ReportPage.figures} and place it on the page.
 */
@NullMarked
package io.shardsim.reports.writing.html;

import org.jspecify.annotations.NullMarked;
