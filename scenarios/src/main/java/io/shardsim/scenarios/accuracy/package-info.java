/**
 * Reference cases: published measurements and the scenarios that should reproduce them.
 *
 * <p>Here: the keys of a file of cases, the built-in files under {@code reference/}, and what their errors say about another run. Not here: how
 * cases are run, how errors are shown. To add built-in cases, add them to a file of {@code reference/}, or add a file, and record their errors
 * again ({@code validate --record}).
 */
@NullMarked
package io.shardsim.scenarios.accuracy;

import org.jspecify.annotations.NullMarked;
