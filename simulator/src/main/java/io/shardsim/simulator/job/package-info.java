/**
 * Input of a strategy: the model, its precision and batch, the number of ranks, and how the model is split among them.
 *
 * <p>Here: the job, model parallelism, and the layers of each model chunk of a pipeline. Not here: strategies and their settings, plans, GPUs, time.
 */
@NullMarked
package io.shardsim.simulator.job;

import org.jspecify.annotations.NullMarked;
