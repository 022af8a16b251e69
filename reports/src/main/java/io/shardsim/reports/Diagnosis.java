package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.Outages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Why a run takes as long as it does, and which setting to change next: the one with the largest simulated gain.
 *
 * @param why one or two sentences
 * @param next the setting that gains most, or what fits if the run does not; empty if nothing was tried
 */
public record Diagnosis(String why, String next) {
    /** Share of the step below which a loss is not mentioned first. */
    private static final double NOTICEABLE = 0.03;

    /** Share of the mean wait below which a rank is not representative. */
    private static final double AS_OTHERS = 0.5;

    /** Maximum number of settings shown; results.json has all. */
    private static final int ADVICE_MAX = 3;

    private static final String NEXT = "Next: ";

    public static Diagnosis of(RunResult run) {
        if (run.status() == RunResult.Status.OUT_OF_MEMORY) {
            return outOfMemory(run);
        }
        if (run.collective() != null) {
            return ofCollective(run, run.collective());
        }
        return ofTraining(run, run.step());
    }

    /** Returns why a run does not fit, and what would; empty if it fits. */
    public static List<String> misfit(RunResult run) {
        Diagnosis diagnosis = of(run);
        return run.fits() ? List.of() : List.of((diagnosis.why() + " " + diagnosis.next()).trim());
    }

    /** Returns further remarks on a run, each sentence starting with its subject and a colon. */
    public static List<String> further(RunResult run) {
        List<String> sentences = new ArrayList<>(around(run));
        trials(run).stream().filter(sentence -> !sentence.startsWith(NEXT)).forEach(sentences::add);
        return sentences;
    }

    /** Returns the cost of faults, and times around the step. */
    public static List<String> faultsAndAround(RunResult run) {
        List<String> sentences = new ArrayList<>();
        if (run.facts().radius() != null) {
            sentences.add(run.facts().radius().sentence());
        }
        if (run.facts().tried().mean() != null) {
            sentences.add(run.facts().tried().mean().sentence());
        }
        AroundTheStep around = AroundTheStep.of(run);
        sentences.addAll(around == null ? List.of() : around.sentences());
        return sentences;
    }

    /** Returns the cost of faults, times around the step, and the accuracy of its speed if it has one. */
    public static List<String> around(RunResult run) {
        List<String> sentences = faultsAndAround(run);
        if (!run.fits()) {
            return sentences;
        }
        ErrorInterval accuracy = run.facts().accuracy();
        String words = accuracy == null ? run.facts().accuracyWords() : accuracy.sentence();
        if (!words.isEmpty()) {
            sentences.add("Accuracy: " + words + ".");
        }
        return sentences;
    }

    /** Returns gains of other settings, largest first, and the effect of alternatives to assumptions. */
    public static List<String> trials(RunResult run) {
        List<String> sentences = new ArrayList<>();
        String next = run.fits() ? of(run).next() : "";
        if (!next.isEmpty()) {
            sentences.add(NEXT + next);
        }
        Advice.of(run).stream().limit(ADVICE_MAX).skip(1).forEach(advice -> sentences.add("Or: " + advice.sentence()));
        sentences.addAll(Assumption.sentences(run));
        sentences.addAll(Advice.untried(run, Integer.MAX_VALUE));
        return sentences;
    }

    private static Diagnosis outOfMemory(RunResult run) {
        RunFacts.Memory memory = run.facts().ledger();
        MemoryFit fit = memory.fit();
        return new Diagnosis(
                "Does not fit: " + MemoryWords.missing(fit)
                        + (fit.fitsGpu() ? ". Offloading fills it." : ". Largest: " + largestOwner(memory) + "."),
                run.remedy() == null ? "" : sentence(run.remedy()));
    }

    private static String sentence(String words) {
        String trimmed = words.trim();
        if (trimmed.isEmpty()) {
            return "";
        }
        return Character.toUpperCase(trimmed.charAt(0)) + trimmed.substring(1) + (trimmed.endsWith(".") ? "" : ".");
    }

    private static String largestOwner(RunFacts.Memory memory) {
        return memory.bytesByOwner().entrySet().stream()
                .filter(entry -> entry.getKey() != MemoryOwner.FRAGMENTATION)
                .max(Map.Entry.comparingByValue())
                .map(entry -> Names.of(entry.getKey()) + " (" + Quantities.gib(entry.getValue()) + ")")
                .orElse("nobody");
    }

    private static Diagnosis ofCollective(RunResult run, BusBandwidth speed) {
        String words = "Reaches " + Quantities.bytesPerSecond(speed.busBytesPerSecond()) + " bus bandwidth.";
        String why = run.network().links().stream()
                .max(Comparator.comparingDouble(LinkUse::busiestUtilization))
                .map(busiest -> words + " The busiest link is " + busiest.busiestPort() + " ("
                        + Names.of(busiest.linkClass()) + "), busy "
                        + Quantities.percent(busiest.busiestUtilization()) + " of the time. "
                        + limit(run, busiest, speed))
                .orElse(words);
        return new Diagnosis(why, "");
    }

    private static String limit(RunResult run, LinkUse busiest, BusBandwidth speed) {
        Outages outages = run.facts().cluster().faults().network().outages();
        double down = outages.downPs() / Math.min(1e12 * speed.seconds(), Math.max(1, outages.everyPs()));
        if (down > 0 && down < 1 && run.network().nicBytesSent() > 0 && down + busiest.busiestUtilization() > 0.8) {
            return "Node[0].Nic[0] is the limit: it is down " + Quantities.percent(down) + " of the time.";
        }
        if (busiest.busiestUtilization() <= 0.8) {
            return "No link is the limit; thread blocks and per-step latency are.";
        }
        return shareOfBytes(run, busiest, speed.seconds()) < 0.5
                ? "The message rate is the limit: most of that time is per-message overhead."
                : "Link bandwidth is the limit.";
    }

    /** Returns the share of NIC occupancy that the bytes take at the sustained rate; 1 for other links. */
    private static double shareOfBytes(RunResult run, LinkUse use, double seconds) {
        if (use.linkClass() != LinkClass.NIC) {
            return 1;
        }
        double rate = run.facts().cluster().instance().nic().effectiveRate().bytesPerSecond();
        return use.bytes() / rate / (use.utilization() * use.ports() * seconds);
    }

    private static Diagnosis ofTraining(RunResult run, RunResult.Training training) {
        StepBreakdown b = training.breakdown();
        double step = b.stepSeconds();
        Stream worst = worstStream(b);
        double loss = b.exposedSeconds(worst);
        String why;
        if (loss < NOTICEABLE * step && b.slowdownSeconds() < NOTICEABLE * step) {
            why = computes(run, b);
        } else if (b.slowdownSeconds() > loss) {
            why = "Overlapped communication slows the kernels down by " + share(b.slowdownSeconds(), step) + ".";
        } else {
            why = "Compute waits " + share(loss, step) + " for "
                    + StreamLook.of(worst).waitedFor() + culprit(training, worst) + ".";
        }
        return new Diagnosis(why, next(run));
    }

    private static String computes(RunResult run, StepBreakdown b) {
        double recompute = b.workSeconds(Work.Kind.LAYER_RECOMPUTE);
        return "Compute takes " + Quantities.percent(b.totalWorkSeconds() / b.stepSeconds())
                + (run.gpus() == 1 ? " of the step." : " of the step and hides the communication.")
                + (recompute > NOTICEABLE * b.stepSeconds()
                        ? " Recomputation takes " + share(recompute, b.stepSeconds()) + "."
                        : "");
    }

    private static String next(RunResult run) {
        List<Advice> advice = Advice.of(run);
        if (!advice.isEmpty()) {
            return advice.get(0).sentence();
        }
        List<Trial> trials = run.facts().trials();
        int fitting = (int) trials.stream().filter(trial -> trial.fit().fits()).count();
        return noneGains(fitting, trials.size() - fitting);
    }

    /** Returns a sentence that no setting gains, and how many settings that might gain do not fit. */
    public static String noneGains(int fitting, int tooLarge) {
        String unfit = tooLarge == 0
                ? ""
                : " " + Quantities.counted(tooLarge, "setting")
                        + (tooLarge == 1 ? " that might gain does not fit." : " that might gain do not fit.");
        return fitting == 0
                ? unfit.stripLeading()
                : "Of " + Quantities.counted(fitting, "setting") + " tried, none gains "
                        + Quantities.fixed(100 * Advice.GAIN_MIN, 0) + " %." + unfit;
    }

    private static Stream worstStream(StepBreakdown breakdown) {
        return StreamLook.all().stream()
                .filter(StreamLook::isWaitedFor)
                .map(StreamLook::stream)
                .max(Comparator.comparingDouble(breakdown::exposedSeconds))
                .orElseThrow();
    }

    /** Returns what rank 0 mostly waits for, if it waits about as long as the others, unlike a slow rank. */
    private static String culprit(RunResult.Training training, Stream stream) {
        List<ExposedCommunication.Culprit> own = training.exposed().culprits().stream()
                .filter(c -> c.stream().reportedAs() == stream)
                .toList();
        double waits =
                own.stream().mapToDouble(ExposedCommunication.Culprit::seconds).sum();
        return own.stream()
                .filter(c -> waits >= AS_OTHERS * training.breakdown().exposedSeconds(stream))
                .findFirst()
                .map(c -> ", on rank 0 mostly for \u201c" + c.what() + "\u201d")
                .orElse("");
    }

    private static String share(double seconds, double step) {
        return Quantities.seconds(seconds) + " of " + Quantities.seconds(step) + " ("
                + Quantities.percent(seconds / step) + ")";
    }
}
