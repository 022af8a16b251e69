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
 * What a cluster reaches.
 *
 * @param base what it was taken for
 * @param tests every one that was read
 * @param broken tests that reach far less than the catalog lets one expect
 * @param inNode what tests on one node tell
 * @param betweenNodes what tests on several nodes tell
 * @param ofKernels what GEMMs tell
 * @param kernels every one that was read
 * @param unexplained sizes that no figure brings near
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

    /** The fits, those of nothing left out. */
    List<Fit> fits() {
        return all().filter(fit -> fit.quality().count() > 0).toList();
    }

    Stream<Fit> all() {
        return Stream.of(betweenNodes, inNode, ofKernels);
    }

    /** Every file that something was read from. */
    String files() {
        return Stream.concat(
                        tests.stream().map(CollectiveTest::file),
                        kernels.all.stream().map(KernelRuns.Run::file))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** The GPU as the fit of kernels has it. */
    GpuSpec gpu() {
        return base.with(ofKernels.resolved()).gpu();
    }

    /** Every figure that was determined, as the instance file writes it. */
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        fits().forEach(fit ->
                fit.values().forEach((parameter, value) -> figures.put(parameter.key(), parameter.written(value))));
        return figures;
    }

    /**
     * How figures differ from those of another file or instance of the catalog, a line each.
     *
     * @throws InputException where that file is no instance
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
