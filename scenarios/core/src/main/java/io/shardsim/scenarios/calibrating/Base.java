package io.shardsim.scenarios.calibrating;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.scenario.InstanceFiles;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.InstanceSpec;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What a cluster is assumed to be before measurement.
 *
 * @param name name of a catalog instance, or of a file that describes one, such as last month's calibration
 * @param description the file's content, or that it extends the catalog instance
 */
public record Base(String name, Mapping description) {
    /** @throws InputException with every problem of the file */
    public static Base of(String name) throws InputException {
        YamlNode description = InstanceFiles.isFile(name)
                ? InstanceFiles.description(name)
                : YamlReader.readText(
                        "extends: "
                                + Objects.requireNonNull(Catalog.instance(name)).name(),
                        new Problems(name));
        return new Base(name, (Mapping) Objects.requireNonNull(description));
    }

    /** Returns the instance with some values changed. */
    InstanceSpec with(Map<String, Object> changed) {
        try {
            return (InstanceFiles.isFile(name)
                            ? Catalog.ownInstance(name, description, changed, new Problems(name))
                            : Objects.requireNonNull(Catalog.instance(name, changed)))
                    .spec();
        } catch (InputException impossible) {
            throw new IllegalStateException(name + " was read before", impossible);
        }
    }

    /** Returns the lines of an instance file that differs in some keys and cites this base as the source of its figures, {@code base}. */
    String lines(Set<String> differing) {
        StringBuilder lines = new StringBuilder();
        for (Entry each : description.entries()) {
            Entry value = each.value() instanceof Mapping figure ? figure.entry("value") : null;
            if (each.value() instanceof Scalar text && !each.key().equals("title")) {
                lines.append(each.key() + ": " + text.text() + "\n");
            } else if (value != null && value.value() instanceof Scalar text && !differing.contains(each.key())) {
                lines.append(each.key() + ": {value: " + text.text() + ", from: base}\n");
            }
        }
        return lines.toString();
    }
}
