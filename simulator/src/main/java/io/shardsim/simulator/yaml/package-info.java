/**
 * YAML text with the position of every key and value, and the problems found in it.
 *
 * <p>Here: reading a file of bounded size into a tree of {@link io.shardsim.simulator.yaml.YamlNode}, and collecting
 * {@link io.shardsim.simulator.yaml.Problem}s so that all of them are reported at once. Not here: the meaning of keys.
 */
@NullMarked
package io.shardsim.simulator.yaml;

import org.jspecify.annotations.NullMarked;
