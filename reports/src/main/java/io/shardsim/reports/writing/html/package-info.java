/**
 * The report as one HTML file that needs nothing else: no font, no request, and where no script runs every figure is a table.
 *
 * <p>Here: which figures there are, as data ({@link io.shardsim.reports.writing.html.Figure}). {@code report.js} turns each kind of figure into a chart of
 * Apache ECharts, which travels in the file; {@code report.jte} is the page, {@code report.css} its style,
 * {@link io.shardsim.reports.writing.html.ReportPage} all that the page knows. Not here: what figures mean. To add one, write a class that returns a
 * {@code Figure} of a kind that there is, name it in {@code ReportPage.figures} and give it a place in the page.
 */
@NullMarked
package io.shardsim.reports.writing.html;

import org.jspecify.annotations.NullMarked;
