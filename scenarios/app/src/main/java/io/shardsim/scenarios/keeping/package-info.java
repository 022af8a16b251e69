/**
 * Finished points of a sweep, stored in the report's folder until all are done, so that a killed run can resume.
 *
 * <p>This package has the files and their names; reports and runs are elsewhere. To store another kind of result, add a type to the codec.
 */
@NullMarked
package io.shardsim.scenarios.keeping;

import org.jspecify.annotations.NullMarked;
