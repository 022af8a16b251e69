package io.shardsim.scenarios.cli;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.reports.writing.html.DocumentPages;
import io.shardsim.reports.writing.html.GalleryPage;
import io.shardsim.reports.writing.html.HtmlReport;
import io.shardsim.scenarios.accuracy.Ledger;
import io.shardsim.scenarios.accuracy.ReferenceCase;
import io.shardsim.scenarios.evaluation.AdvisedRuns;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gallery DIR [FILE...]}: writes published runs and configurations as a static site. */
@Command(
        name = "gallery",
        description = {
            "Writes a static site: measured and predicted values of every published figure, reports of some of "
                    + "these runs and of your configurations, and the documentation. Open index.html; it works "
                    + "offline."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:a simulation failed",
            "2:wrong usage or input",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL
        })
final class GalleryCommand extends Speaking {
    private static final String RUNS = "runs";
    private static final String DOCUMENTS = "docs";

    private final RunnerFactory runners;

    @Parameters(
            index = "0",
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Output folder of the site.")
    private String folder = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "FILE",
            description = "Scenario files to show, for example from import.")
    private List<String> files = List.of();

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "Write reports of the published runs whose name or source contains this text. Default: the "
                    + "smallest cluster of each source.")
    private String only = "";

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent runs. Default: the number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--open", description = "Open the site in your browser.")
    private boolean open;

    GalleryCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws IOException {
        List<Problem> problems = new ArrayList<>();
        List<Scenario> configurations = ScenarioFiles.read(files, Overrides.NONE, problems);
        Ledger ledger = null;
        try {
            ledger = new Ledger(ValidateCommand.HOME);
        } catch (InputException refused) {
            problems.addAll(refused.problems());
        }
        if (ledger == null || !problems.isEmpty()) {
            return refuse(problems);
        }
        List<ReferenceCase> chosen = ledger.chosen(only);
        if (chosen.isEmpty()) {
            throw refused("--only " + only + " matches no published run; leave it out");
        }
        Path site = ReportFolder.make(line(), folder, "DIR", List.of("index.html"));
        return write(site, ledger, chosen, configurations);
    }

    private int write(Path site, Ledger ledger, List<ReferenceCase> chosen, List<Scenario> configurations)
            throws IOException {
        Map<Scenario, @Nullable ReferenceCase> questions = new LinkedHashMap<>();
        chosen.forEach(
                one -> questions.put(new Scenario(one.id(), one.family(), false, List.of(Ledger.point(one))), one));
        configurations.forEach(each -> questions.put(each, null));
        List<Scenario> scenarios = List.copyOf(questions.keySet());
        PointRuns runs = new PointRuns(scenarios, threads, true);
        AdvisedRuns advised = new AdvisedRuns(scenarios, runs);
        try (Interruption interruption = new Interruption(advised::interrupt)) {
            try (ScenarioRunner runner =
                            runners.create(new RunOptions(threads, true).running(RunOptions.TooLarge.SIMULATED));
                    ProgressBarLine progress = ProgressBarLine.open()) {
                runs.runAll(runner, progress);
                advised.tryOtherSettings(runner, threads, one -> Trials.eventsMax(runs.results(one)), progress);
            }
            Map<String, GalleryPage.Report> published = new LinkedHashMap<>();
            List<GalleryPage.Report> own = new ArrayList<>();
            for (Map.Entry<Scenario, @Nullable ReferenceCase> question : questions.entrySet()) {
                List<RunResult> results = advised.results(question.getKey());
                if (results.size() < question.getKey().points().size()) {
                    continue;
                }
                GalleryPage.Report report = report(site, question.getKey(), results);
                ReferenceCase one = question.getValue();
                if (one == null) {
                    own.add(report);
                } else {
                    ledger.check(one, results.get(0));
                    published.put(one.id(), report);
                }
            }
            index(site, ledger.entries(published), own);
            advised.failures().forEach(err()::println);
            interruption.finished();
            if (runs.interrupted()) {
                return ExitStatus.INTERRUPTED;
            }
            return runs.failures().isEmpty() && !advised.anyTryFailed() ? ExitStatus.DONE : ExitStatus.FAILED;
        }
    }

    private static GalleryPage.Report report(Path site, Scenario scenario, List<RunResult> results) throws IOException {
        ScenarioResult result = ScenarioResult.of(scenario.name(), results);
        String name = scenario.name().replaceAll("[^A-Za-z0-9._-]", "-") + ".html";
        WholeFiles.write(
                Files.createDirectories(site.resolve(RUNS)), Map.of(name, HtmlReport.write(result, List.of())));
        RunResult fastest = result.fastest();
        RunResult run = fastest != null
                ? fastest
                : Collections.max(results, Comparator.comparingDouble(GalleryCommand::busBandwidth));
        RunResult.Training training = run.training();
        String speed;
        if (training != null) {
            speed = Quantities.significant(training.samplesPerSecond()) + " samples/s";
        } else if (run.collective() != null) {
            speed = Quantities.bytesPerSecond(busBandwidth(run)) + " bus";
        } else {
            speed = "does not fit";
        }
        return new GalleryPage.Report(
                scenario.name(),
                RUNS + "/" + name,
                result.names().withGpus(run),
                speed,
                Advice.of(run).stream().map(Advice::sentence).findFirst().orElse(""));
    }

    private static double busBandwidth(RunResult run) {
        return run.collective() == null ? 0 : run.collective().busBytesPerSecond();
    }

    private void index(Path site, List<GalleryPage.Entry> entries, List<GalleryPage.Report> own) throws IOException {
        List<GalleryPage.Link> links = documents(site);
        WholeFiles.write(site, Map.of("index.html", new GalleryPage(entries, own, links).write()));
        out().println("gallery: " + site.resolve("index.html"));
        out().flush();
        if (open) {
            WebBrowser.open(site.resolve("index.html").toUri().toString());
        }
    }

    /** Writes the documentation pages as HTML, copies their pictures, and returns links to the pages. */
    private static List<GalleryPage.Link> documents(Path site) throws IOException {
        Path source = ValidateCommand.HOME.resolve(DOCUMENTS);
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> pages = Files.list(source)) {
            for (Path page :
                    pages.filter(each -> each.toString().endsWith(".md")).toList()) {
                texts.put(page.getFileName().toString(), Files.readString(page));
            }
        }
        Map<String, String> pages = new LinkedHashMap<>();
        List<GalleryPage.Link> links = new ArrayList<>();
        texts.forEach((name, text) -> {
            DocumentPages.Page page = DocumentPages.of(text, texts.keySet(), "../index.html");
            String file = name.replaceFirst("\\.md$", ".html");
            pages.put(file, page.write());
            links.add(new GalleryPage.Link(page.title(), DOCUMENTS + "/" + file));
        });
        Path folder = Files.createDirectories(site.resolve(DOCUMENTS));
        WholeFiles.write(folder, pages);
        Path images = Files.createDirectories(folder.resolve("images"));
        try (Stream<Path> pictures = Files.list(source.resolve("images"))) {
            for (Path picture : pictures.filter(Files::isRegularFile).toList()) {
                WholeFiles.write(images.resolve(picture.getFileName()), out -> Files.copy(picture, out));
            }
        }
        return links;
    }
}
