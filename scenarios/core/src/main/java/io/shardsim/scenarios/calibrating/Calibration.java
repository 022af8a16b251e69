package io.shardsim.scenarios.calibrating;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measured figures of a cluster.
 *
 * @param base the instance it was assumed to be
 * @param tests every collective test read
 * @param broken tests far below the catalog's prediction
 * @param inNode fit of tests on one node
 * @param betweenNodes fit of tests on several nodes
 * @param ofKernels fit of GEMMs
 * @param kernels every kernel read
 * @param unexplained sizes that no figures reproduce
 */
public record Calibration(
        Base base,
        List<CollectiveTest> tests,
        List<Calibrator.Broken> broken,
        Fit inNode,
        Fit betweenNodes,
        Fit ofKernels,
        KernelRuns kernels,
        List<String> unexplained) {
    public Calibration {
        unexplained = List.copyOf(unexplained);
        tests = List.copyOf(tests);
        broken = List.copyOf(broken);
    }

    /** Returns the fits, without empty ones. */
    List<Fit> fits() {
        return all().filter(fit -> fit.quality().count() > 0).toList();
    }

    Stream<Fit> all() {
        return Stream.of(betweenNodes, inNode, ofKernels);
    }

    /** Returns every file that something was read from. */
    String files() {
        return Stream.concat(
                        tests.stream().map(CollectiveTest::file),
                        kernels.all.stream().map(KernelRuns.Run::file))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** Returns the GPU with the fitted kernel rates. */
    GpuSpec gpu() {
        return base.with(ofKernels.resolved()).gpu();
    }

    /** Returns every fitted figure, as written in the instance file. */
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        fits().forEach(fit ->
                fit.values().forEach((parameter, value) -> figures.put(parameter.key(), parameter.written(value))));
        return figures;
    }

    /**
     * Returns how figures differ from another file or catalog instance, one line each.
     *
     * @throws InputException if that file is not an instance
     */
    public List<String> since(String name) throws InputException {
        List<String> lines = new ArrayList<>();
        InstanceSpec before = Base.of(name).with(Map.of());
        for (Fit fit : fits()) {
            fit.values().forEach((parameter, value) -> {
                double was = parameter.base().applyAsDouble(before);
                lines.add(parameter.key() + ": " + parameter.written(value) + ", was " + parameter.written(was)
                        + String.format(Locale.ROOT, " (%+.1f %%)", 100 * (value / was - 1)));
            });
        }
        return lines;
    }
}
