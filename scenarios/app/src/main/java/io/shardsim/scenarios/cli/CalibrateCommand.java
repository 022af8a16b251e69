package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.calibrating.Base;
import io.shardsim.scenarios.calibrating.Calibration;
import io.shardsim.scenarios.calibrating.CalibrationText;
import io.shardsim.scenarios.calibrating.Calibrator;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.profiling.ProfileReader;
import io.shardsim.scenarios.scenario.InstanceFiles;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code calibrate FILE... --base NAME}: fits a cluster's rates to measurements and writes an instance file. */
@Command(
        name = "calibrate",
        description = {
            "Calibrates an instance from nccl-tests logs and kernel timings of your cluster, and writes an "
                    + "instance file.",
            "Pass output of nccl-tests (all_reduce_perf, all_gather_perf, ...), or its JSON (-J); tables of "
                    + "GEMMs (m,n,k,dtype,us); a torch.profiler trace with record_shapes=True; or output of "
                    + "the --kit script. Use the file in a scenario as cluster: {instance: my-cluster.yaml, "
                    + "nodes: 16}."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim calibrate all_reduce.log all_gather.log --base p5.48xlarge -o my-cluster.yaml",
            "  shardsim calibrate --kit > kit.py",
            "  shardsim run my.yaml --set cluster.instance=my-cluster.yaml",
            "Exit status: 0 done, 1 the simulation failed or no figure is determined for -o, 2 wrong usage or input,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class CalibrateCommand extends Speaking {
    /** Maximum size of an nccl-tests log [bytes]. */
    private static final long LOG_MAX = 64L << 20;

    private final RunnerFactory runners;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "nccl-tests logs or their JSON, kernel tables, profiler traces.")
    private List<String> files = List.of();

    @Option(
            names = "--base",
            paramLabel = "NAME",
            description = "Catalog instance most like your nodes, or an instance file.")
    private String base = "";

    @Option(
            names = "--kit",
            description = "Print a Python script that measures one node in three minutes. It needs only PyTorch; pass "
                    + "its output to this command.")
    private boolean kit;

    @Option(
            names = "--collective",
            paramLabel = "NAME",
            description = "Collective, if a log does not name it: all_reduce, all_gather, reduce_scatter, ...")
    private @Nullable String collective;

    @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes, if a log does not give it.")
    private int nodes;

    @Option(names = "--healthy", description = "Ignore tests that look broken, to calibrate the healthy cluster.")
    private boolean healthy;

    @Option(
            names = "--against",
            paramLabel = "NAME",
            description = "Show how the figures differ from this catalog instance or instance file.")
    private @Nullable String against;

    @Mixin
    private final Question question = new Question();

    @Option(names = "-o", paramLabel = "FILE", description = "Write the instance file here.")
    private @Nullable String output;

    CalibrateCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InputException {
        if (kit) {
            out().print(Calibrator.kit());
            out().flush();
            return ExitStatus.DONE;
        }
        if (files.isEmpty() || base.isEmpty()) {
            throw refused(
                    (files.isEmpty() ? "FILE" : "--base")
                            + " is missing; write for example calibrate all_gather.log --base p5.48xlarge, or --kit for a script that measures");
        }
        check("--base", base);
        if (against != null) {
            check("--against", against);
        }
        if (nodes < 0) {
            throw refused("--nodes " + nodes + " is not a number of nodes; write 1 or more");
        }
        return calibrated();
    }

    private void check(String option, String name) {
        if (!InstanceFiles.isFile(name) && Catalog.instance(name) == null) {
            throw refused(Unmodelled.refusal(option, "instances", name, Catalog.instanceNames()));
        }
    }

    private int calibrated() throws InputException {
        Calibrator calibrator = new Calibrator(runners, question.threads());
        Calibrator.Question asked = new Calibrator.Question(
                Base.of(base),
                logs(),
                files.stream().filter(ProfileReader::isMeant).toList(),
                kind(),
                nodes,
                healthy);
        List<String> changes = new ArrayList<>();
        Calibration calibration = question.ask(
                progress -> {
                    Calibration done = calibrator.calibrate(asked, progress);
                    if (done != null && against != null) {
                        changes.addAll(done.since(against));
                    }
                    return done;
                },
                calibrator::interrupt,
                CalibrationText::json,
                CalibrationText::write);
        if (calibration == null) {
            return ExitStatus.INTERRUPTED;
        }
        changes.forEach(this::tell);
        return output == null ? ExitStatus.DONE : write(calibration, output);
    }

    private int write(Calibration calibration, String file) {
        if (calibration.figures().isEmpty()) {
            tell("These logs are not enough to fit any figure; " + file + " is not written.");
            return ExitStatus.FAILED;
        }
        try {
            String text = CalibrationText.instance(calibration, newest());
            WholeFiles.write(Path.of(file), out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
            tell("Wrote " + file + ". Use it in a scenario: cluster: {instance: " + file + ", nodes: N}.");
            return ExitStatus.DONE;
        } catch (IOException | InvalidPathException failure) {
            throw refused(file + " cannot be written; name another file with -o");
        }
    }

    /** Date of the newest log. */
    private String newest() throws IOException {
        LocalDate newest = LocalDate.EPOCH;
        for (String file : files) {
            Instant changed = ScenarioFiles.isText(file)
                    ? Instant.now()
                    : Files.getLastModifiedTime(Path.of(file)).toInstant();
            LocalDate written = LocalDate.ofInstant(changed, ZoneOffset.UTC);
            newest = written.isAfter(newest) ? written : newest;
        }
        return newest.toString();
    }

    private void tell(String line) {
        (question.isJson() ? err() : out()).print(new Paragraphs(Terminal.width()).line(line));
        out().flush();
    }

    private @Nullable CollectiveKind kind() {
        if (collective == null) {
            return null;
        }
        return Arrays.stream(CollectiveKind.values())
                .filter(kind -> kind.id().equals(collective))
                .findFirst()
                .orElseThrow(() -> refused("--collective " + collective + " is unknown; write for example all_gather"));
    }

    private Map<String, String> logs() throws InputException {
        Map<String, String> logs = new LinkedHashMap<>();
        List<Problem> problems = new ArrayList<>();
        for (String file : files) {
            if (ProfileReader.isMeant(file)) {
                continue;
            }
            String given = ScenarioFiles.text(file);
            if (given != null) {
                logs.put(file, given);
                continue;
            }
            try {
                Path path = Path.of(file);
                if (Files.size(path) > LOG_MAX) {
                    problems.add(new Problem(
                            file, Position.NONE, "is larger than " + LOG_MAX + " bytes; pass only the tables"));
                } else {
                    logs.put(file, Files.readString(path, StandardCharsets.ISO_8859_1));
                }
            } catch (IOException | InvalidPathException failure) {
                problems.add(new Problem(file, Position.NONE, "cannot be read; check the path"));
            }
        }
        if (!problems.isEmpty()) {
            throw new InputException(problems);
        }
        return logs;
    }
}
