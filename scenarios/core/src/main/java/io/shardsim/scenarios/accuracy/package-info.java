/**
 * Reference cases: published measurements and the scenarios that should reproduce them.
 *
 * <p>This package has the keys of a file of cases, the files in {@code scenarios/accuracy/cases}, and the error estimates that they give for other
 * runs. It neither runs cases nor displays errors. To add published cases, add them to a file there, or add a file, and record their errors again
 * ({@code validate --record}).
 */
@NullMarked
package io.shardsim.scenarios.accuracy;

import org.jspecify.annotations.NullMarked;
