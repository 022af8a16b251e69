/**
 * The report as one HTML file that needs nothing else: no script, no font, no request. Charts are drawn here as SVG, each in a wide and a
 * narrow version that the style sheet chooses from, and each has its table.
 *
 * <p>Here: what a figure looks like. Not here: what it means. {@code report.jte} is the page, {@code report.css} its style;
 * {@link io.shardsim.reports.writing.html.ReportPage} is all that the page knows. To add a figure, write one class that returns a
 * {@link io.shardsim.reports.writing.html.Figure} and one section of the page.
 */
@NullMarked
package io.shardsim.reports.writing.html;

import org.jspecify.annotations.NullMarked;
