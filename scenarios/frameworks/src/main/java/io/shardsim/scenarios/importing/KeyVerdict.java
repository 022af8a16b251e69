package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;

/**
 * The verdict on one key of one file.
 *
 * @param file as given by the user
 * @param key dotted path, as in {@code zero_optimization.stage}; list items as in {@code layer_specs[0]}
 */
public record KeyVerdict(String file, String key, YamlNode value, Position position, Verdict verdict, String note) {}
