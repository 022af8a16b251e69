package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Kubernetes manifest of a PyTorchJob or a HyperPodPyTorchJob as a script that Slurm would start: what it asks for, and the command of its container. */
final class Manifest {
    private static final String REPLICAS = "eplicaSpecs:";
    private static final String NUMBER = "\\d{1,5}";

    private Manifest() {}

    /** Its lines are those of the manifest; null for any other text. */
    static @Nullable String script(String text) {
        StringBuilder job = new StringBuilder();
        for (String document : text.split("(?m)^(?=---)")) {
            // One job; what stands around it keeps its lines.
            boolean taken = job.indexOf(REPLICAS) < 0 && document.contains(REPLICAS);
            job.append(taken ? document.replaceFirst("^---", "") : document.replaceAll("[^\n]", ""));
        }
        YamlNode root = text.contains("apiVersion:") && job.indexOf(REPLICAS) >= 0
                ? YamlReader.readText(job.toString(), new Problems(""))
                : null;
        if (root == null) {
            return null;
        }
        long nodes = values(root, "replicas")
                .mapToLong(node -> node.text().matches(NUMBER) ? Long.parseLong(node.text()) : 0)
                .sum();
        StringBuilder script = new StringBuilder(nodes > 0 ? "#SBATCH --nodes=" + nodes + "\n" : "\n");
        String gpus = values(root, "nvidia.com/gpu")
                .map(Scalar::text)
                .filter(each -> each.matches(NUMBER))
                .findFirst()
                .orElse(null);
        script.append(gpus == null ? "\n" : "#SBATCH --gpus-per-node=" + gpus + "\n");
        Mapping container = blocks(root)
                .filter(block -> block.entry("image") != null)
                .reduce((first, last) -> last)
                .orElse(null);
        int line = 3;
        for (Scalar word : container == null ? List.<Scalar>of() : words(container)) {
            boolean begun = script.charAt(script.length() - 1) != '\n';
            for (; line < word.position().line(); line++) {
                script.append(begun ? "\\\n" : "\n");
            }
            script.append('\'').append(word.text().replace("'", "'\\''")).append("' ");
            line += (int) word.text().chars().filter(letter -> letter == '\n').count();
        }
        values(root, "node.kubernetes.io/instance-type")
                .findFirst()
                .ifPresent(type ->
                        script.append("--instance-type ").append(type.text().replaceFirst("^ml\\.", "")));
        return script.append('\n').toString();
    }

    private static List<Scalar> words(Mapping container) {
        return Stream.of("command", "args")
                .map(container::entry)
                .flatMap(entry -> entry != null && entry.value() instanceof Sequence list
                        ? list.items().stream()
                        : Stream.empty())
                .flatMap(item -> item instanceof Scalar scalar ? Stream.of(scalar) : Stream.empty())
                .toList();
    }

    /** Values under this name, however deep. */
    private static Stream<Scalar> values(YamlNode node, String name) {
        return blocks(node)
                .map(block -> block.entry(name))
                .flatMap(entry ->
                        entry != null && entry.value() instanceof Scalar scalar ? Stream.of(scalar) : Stream.empty());
    }

    private static Stream<Mapping> blocks(YamlNode node) {
        return node instanceof Mapping block
                ? Stream.concat(
                        Stream.of(block),
                        block.entries().stream().map(Entry::value).flatMap(Manifest::blocks))
                : node instanceof Sequence list ? list.items().stream().flatMap(Manifest::blocks) : Stream.empty();
    }
}
