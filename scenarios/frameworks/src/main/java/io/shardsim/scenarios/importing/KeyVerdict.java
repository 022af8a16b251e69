package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;

/**
 * What became of one key of one file.
 *
 * @param file as the user named it
 * @param key dotted path, as in {@code zero_optimization.stage}; items of a list as in {@code layer_specs[0]}
 */
public record KeyVerdict(String file, String key, YamlNode value, Position position, Verdict verdict, String note) {}
