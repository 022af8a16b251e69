package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.TrainingCost;
import io.shardsim.topology.PriceSpec;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Days and dollars of a long training at each run's rate. */
public final class CostSection {

    private static final String NONE = "\u2013";

    private final ScenarioResult result;
    private final RunNames names;

    CostSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** Returns days and dollars of every run; null if none trained. */
    public Figure.@Nullable Table costs() {
        List<RunResult> trained = result.trained();
        if (trained.isEmpty()) {
            return null;
        }
        Columns<RunResult> columns = new Columns<RunResult>()
                .words("run", names::withGpus)
                .figure("nodes", run -> String.valueOf(run.nodes()))
                .figure("USD/h", run -> usd(price(run).usdPerHour() * run.nodes()));
        for (int i = 0; i < lengths().size(); i++) {
            int length = i;
            String tokens = Quantities.shortTokens(lengths().get(i));
            columns.figure(
                            "days, " + tokens,
                            run -> Quantities.fixed(cost(run, length).days(), 2))
                    .figure(
                            "USD, " + tokens,
                            run -> Quantities.usd(cost(run, length).usd()));
        }
        return columns.of(trained);
    }

    private static PriceSpec price(RunResult run) {
        return run.facts().cluster().instance().price();
    }

    private static TrainingCost cost(RunResult run, int length) {
        return run.step().costs().get(length);
    }

    /** Returns the training lengths for which every run has a cost [tokens]. */
    private List<Double> lengths() {
        return result.trained().get(0).step().costs().stream()
                .map(TrainingCost::tokens)
                .toList();
    }

    /** Returns these lengths in words, for example {@code 100 billion and 500 billion tokens}. */
    public String lengthsInWords() {
        return String.join(" and ", lengths().stream().map(Quantities::tokens).toList()) + " tokens";
    }

    /** Returns a sentence on the cheapest and the fastest run, for the longest training shown. */
    public String cheapestAndFastest() {
        RunResult cheapest = result.cheapest();
        RunResult fastest = result.fastest();
        if (cheapest == null || fastest == null || result.runs().size() < 2) {
            return "";
        }
        return cheapest.is(fastest)
                ? "Cheapest and fastest: " + offer(fastest) + "."
                : "Cheapest: " + offer(cheapest) + ". Fastest: " + offer(fastest) + ".";
    }

    private String offer(RunResult run) {
        TrainingCost cost = Objects.requireNonNull(run.cost());
        return names.withGpus(run) + ", "
                + (cost.hasPrice() ? Quantities.usd(cost.usd()) + " and " : "")
                + Quantities.significant(cost.days()) + " days for " + Quantities.tokens(cost.tokens()) + " tokens";
    }

    private static String usd(double usd) {
        return Double.isNaN(usd) ? NONE : Quantities.fixed(usd, 2);
    }

    /** Returns the sources of prices, one line per instance. */
    public List<String> prices() {
        Set<String> lines = new LinkedHashSet<>();
        for (RunResult run : result.runs()) {
            PriceSpec price = price(run);
            String name = run.facts().cluster().instance().name();
            lines.add(
                    Double.isNaN(price.usdPerHour())
                            ? name + ": the catalog has no price."
                            : name + ": $" + Quantities.fixed(price.usdPerHour(), 2) + " per node and hour as of "
                                    + price.asOf() + " (" + price.source() + "), times the number of nodes.");
        }
        return List.copyOf(lines);
    }

    /** Returns whether readers may compare the dollars with AWS's blog: its instance, and its 32 nodes. */
    public boolean quotesOneNode() {
        return result.runs().stream()
                .anyMatch(run -> run.nodes() == 32
                        && run.facts().cluster().instance().name().startsWith("p4d"));
    }
}
