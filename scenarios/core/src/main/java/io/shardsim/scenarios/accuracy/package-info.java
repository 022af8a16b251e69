/**
 * Reference cases: published measurements and the scenarios that should reproduce them.
 *
 * <p>Here: the keys of a file of cases, the files under {@code scenarios/accuracy/cases}, and what their errors say about another run. Not here: how
 * cases are run, how errors are shown. To add published cases, add them to a file there, or add a file, and record their errors
 * again ({@code validate --record}).
 */
@NullMarked
package io.shardsim.scenarios.accuracy;

import org.jspecify.annotations.NullMarked;
