package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.scenarios.explaining.Measured;
import io.shardsim.scenarios.profiling.ProfileComparer;
import io.shardsim.scenarios.profiling.ProfiledStep;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options for what the user measured, and for the faults that the user has ruled out. */
final class EvidenceOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--measured",
            paramLabel = "SPEED",
            converter = Speed.class,
            description = "Measured value, as logged: tokens/s/GPU, tokens/s, samples/s, TFLOPS/GPU, %% MFU, s or it/s "
                    + "(per step), for example '1000 tokens/s/GPU'; for a bare collective 'GB/s busbw' "
                    + "or s. Repeat it to narrow down the fault: '9000 tokens/s/GPU at "
                    + "cluster.nodes=1', 'healthy at cluster.nodes=1', '26.5 GiB reserved'.")
    private List<Measured> measured = List.of();

    @Option(
            names = "--not",
            paramLabel = "FAULT",
            split = ",",
            completionCandidates = Faults.class,
            description = "Fault that you have ruled out, for example tcp-over-ethernet if NCCL_DEBUG=INFO prints "
                    + "NET/IB. Can be repeated. Known: ${COMPLETION-CANDIDATES}.")
    private List<String> ruledOut = List.of();

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description =
                    "Profile of the slow step, or a folder with one per rank, in the formats that compare reads. "
                            + "Rules out faults that would slow parts of the step that are not slow. Can be repeated, once per rank.")
    private List<String> profiles = List.of();

    private @Nullable ProfiledStep profiled;

    /** Returns the profiled step, reading the files once; null if none were given. */
    @Nullable
    ProfiledStep profiled() throws InputException {
        if (profiled == null && !profiles.isEmpty()) {
            profiled = ProfiledStep.read(files());
        }
        return profiled;
    }

    private List<String> files() throws InputException {
        List<String> files = new ArrayList<>();
        for (String profile : profiles) {
            List<String> meant = ProfileComparer.traces(profile);
            if (meant.isEmpty()) {
                throw new InputException(
                        YamlReader.printable(profile),
                        "is not a profile; give --profile one of torch.profiler (.json, .json.gz), or what nsys stats --report cuda_gpu_trace prints (.csv)");
            }
            files.addAll(meant);
        }
        return files;
    }

    List<Measured> measured() {
        return measured;
    }

    /** The measured speeds, at least one; else the speed of the profiled step. */
    List<Measured> required() throws InputException {
        ProfiledStep step = profiled();
        if (measured.isEmpty() && step != null && step.seconds() > 0) {
            return List.of(new Measured(step.seconds(), Measured.Unit.SECONDS, Map.of()));
        }
        if (measured.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--measured is missing; write for example --measured '1000 tokens/s/GPU'");
        }
        return measured;
    }

    Set<String> ruledOut() throws InputException {
        for (String fault : ruledOut) {
            if (!KnownFault.names().contains(fault)) {
                throw new InputException(List.of(new Problem(
                        "--not",
                        Position.NONE,
                        "unknown fault " + YamlReader.printable(fault) + "; "
                                + Nearest.remedy(fault, KnownFault.names()))));
            }
        }
        return Set.copyOf(ruledOut);
    }

    /** Names of all faults, for completion. */
    static final class Faults implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return KnownFault.names().iterator();
        }
    }

    /** A speed with its unit. */
    static final class Speed implements ITypeConverter<Measured> {
        @Override
        public Measured convert(String written) {
            try {
                return Measured.parse(written);
            } catch (IllegalArgumentException refused) {
                throw new TypeConversionException(refused.getMessage());
            }
        }
    }
}
