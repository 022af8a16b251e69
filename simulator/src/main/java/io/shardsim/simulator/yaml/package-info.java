/**
 * YAML text with the place of every key and value, and the problems found in it.
 *
 * <p>Here: reading a file of bounded size into a tree of {@link io.shardsim.simulator.yaml.YamlNode}, and collecting
 * {@link io.shardsim.simulator.yaml.Problem}s so that all of them are told at once. Not here: what any key means.
 */
@NullMarked
package io.shardsim.simulator.yaml;

import org.jspecify.annotations.NullMarked;
