package io.shardsim.scenarios.planning;

import io.shardsim.reports.KnownSetting;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.yaml.InputException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every configuration that a file leaves open: a key that it sets is fixed; a key listed in {@code search} or {@code sweep} takes these values; a key
 * that it omits takes the search values of {@link KnownSetting}.
 *
 * <p>Excludes changes to the training itself: batch, sequence, precision and model.
 */
final class SearchSpace {
    static final String KIND = "strategy.kind";
    private static final String NODES = "cluster.nodes";
    static final String MICRO_BATCH = "training.micro_batch";
    private static final String INSTANCE = "cluster.instance";
    private static final String EXPERT_PARALLEL = "expert_parallel";
    private static final String CONTEXT_PARALLEL = "context_parallel";
    private static final String PROFILE = "framework_profile";

    /** Length from which NVIDIA recommends context parallelism (Megatron Core Developer Guide 0.18.1, Parallelism Strategies Guide: 8K+) [tokens]. */
    private static final int LONG_SEQUENCE = 8192;
    /** Golden ratio: a stride that spreads points evenly. */
    private static final double GOLDEN = 0.618;
    /** Maximum context-parallel size unless listed: one node. */
    private static final int CONTEXT_MAX = 8;

    private static final String SHARD_GROUP = "strategy." + StrategyDescriptor.SHARD_GROUP;

    private final Variations file;
    private final int nodesMax;
    private final List<Candidate> candidates = new ArrayList<>();
    private @Nullable InputException refused;
    private int refusals;
    private int unlisted;

    /**
     * The resolution of some settings.
     *
     * @param point null if they do not train, or if they violate a rule, as {@code refused} says
     */
    private record Resolved(
            Map<String, String> settings,
            @Nullable ScenarioPoint point,
            @Nullable InputException refused) {}

    private SearchSpace(Variations file, int nodesMax) {
        this.file = file;
        this.nodesMax = nodesMax;
    }

    /** Returns powers of two. */
    private static List<String> powers(int from, int to) {
        return IntStream.iterate(from, value -> value <= to, value -> value * 2)
                .mapToObj(String::valueOf)
                .toList();
    }

    /** Lists all candidates. */
    static SearchSpace of(Variations file, int nodesMax, ProgressListener progress) throws InputException {
        return of(file, nodesMax, progress, count -> false);
    }

    /**
     * Lists candidates in an order that depends only on the file.
     *
     * @param nodesMax largest cluster if the file leaves the number of nodes open
     * @param progress receives the share of all combinations
     * @param enough tests whether the number of candidates so far is enough; those listed then cover all instances, clusters and strategies evenly
     * @throws InputException with the file's problems if nothing in it can run
     */
    static SearchSpace of(Variations file, int nodesMax, ProgressListener progress, IntPredicate enough)
            throws InputException {
        if (file.sets("workload")) {
            throw new InputException(
                    file.file(), "is a bare collective and leaves nothing to choose; name a training run");
        }
        SearchSpace space = new SearchSpace(file, nodesMax);
        List<Map<String, String>> outer =
                expand(Map.of(), space.outerKeys()).stream().distinct().toList();
        int count = outer.size();
        List<List<Resolved>> listed = new ArrayList<>(Collections.nCopies(count, List.of()));
        AtomicInteger sofar = new AtomicInteger();
        int done = 0;
        while (done < count && (done == 0 || !enough.test(sofar.get()))) {
            int place = scattered(done, count);
            double before = (double) done / count;
            listed.set(
                    place,
                    space.ofStrategy(
                            outer.get(place),
                            (share, more) -> progress.show(
                                    before + share / count, sofar.addAndGet(more) + " candidates so far")));
            done++;
        }
        space.unlisted = count - done;
        listed.forEach(space::add);
        if (space.candidates.isEmpty()) {
            throw space.refused == null
                    ? new InputException(file.file(), "leaves no choice that can run")
                    : space.refused;
        }
        return space;
    }

    /** Returns the position to visit at a turn: each of a number of positions once, successive ones far apart. */
    private static int scattered(int turn, int count) {
        int step = Math.max(1, (int) (count * GOLDEN));
        while (BigInteger.valueOf(step).gcd(BigInteger.valueOf(count)).intValue() != 1) {
            step++;
        }
        return (int) ((long) turn * step % count);
    }

    /** Returns the number of unlisted combinations of instance, nodes and strategy. */
    int unlisted() {
        return unlisted;
    }

    List<Candidate> candidates() {
        return candidates;
    }

    /** Returns whether the file names the strategies to consider. */
    boolean namesStrategies() {
        return file.sets(KIND) || file.lists().containsKey(KIND);
    }

    /** Returns the number of combinations that violate a rule of a strategy or of the model. */
    int refusals() {
        return refusals;
    }

    /** Returns keys that must be known before others can be listed. */
    private Map<String, List<String>> outerKeys() {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        put(keys, INSTANCE, file.sets("cluster.gpu") ? List.of() : Catalog.instanceNames());
        put(keys, NODES, powers(1, nodesMax));
        put(keys, KIND, Strategies.searchedKinds());
        return keys;
    }

    /** Adds a key with the values to try, unless there are fewer than two. */
    private void put(Map<String, List<String>> keys, String key, List<String> free) {
        List<String> listed = file.lists().get(key);
        List<String> values = listed != null ? listed : file.sets(key) ? List.of() : free;
        if (!values.isEmpty()) {
            keys.put(key, values);
        }
    }

    /** Returns every combination of values, the first key varying slowest. */
    private static List<Map<String, String>> expand(Map<String, String> settings, Map<String, List<String>> keys) {
        List<Map<String, String>> all = List.of(settings);
        for (Map.Entry<String, List<String>> key : keys.entrySet()) {
            List<Map<String, String>> longer = new ArrayList<>();
            for (Map<String, String> one : all) {
                for (String value : key.getValue()) {
                    Map<String, String> with = new LinkedHashMap<>(one);
                    with.put(key.getKey(), value);
                    longer.add(with);
                }
            }
            all = longer;
        }
        return all;
    }

    /** Receives the listed share, and the number of further candidates. */
    private interface Listing {
        void tell(double share, int more);
    }

    private List<Resolved> ofStrategy(Map<String, String> outer, Listing listing) {
        String kind = outer.getOrDefault(KIND, String.valueOf(file.text(KIND)));
        StrategyDescriptor strategy = Strategies.descriptor(kind);
        Map<String, List<String>> keys = new LinkedHashMap<>();
        if (strategy != null) {
            ScenarioPoint point = pointOf(outer);
            if (strategy.parameter(StrategyDescriptor.SHARD_GROUP) != null) {
                put(keys, SHARD_GROUP, shardGroups(point));
            }
            if (strategy.parameter(CONTEXT_PARALLEL) != null) {
                put(keys, "strategy." + CONTEXT_PARALLEL, contextGroups(point));
            }
            if (strategy.parameter(EXPERT_PARALLEL) != null) {
                List<String> groups = expertGroups(point);
                put(keys, "strategy." + EXPERT_PARALLEL, groups);
                // Tensor parallelism needs sequence parallelism with experts; without tensor parallelism it is refused.
                put(keys, "strategy.sequence_parallel", groups.isEmpty() ? List.of() : List.of("false", "true"));
            }
            Setting profile = strategy.parameter(PROFILE);
            String compiled = profile == null ? null : FrameworkProfile.compiled(profile.written());
            if (profile != null && compiled != null && !file.sets("strategy." + PROFILE) && !file.sets("framework")) {
                put(keys, "training.kernels", List.of(profile.written(), compiled));
            }
            KnownSetting.all().forEach(known -> {
                if (!known.path().startsWith("strategy.") || strategy.parameter(known.name()) != null) {
                    put(keys, known.path(), known.searched());
                }
            });
        }
        file.lists().forEach((key, values) -> {
            if (!key.equals(MICRO_BATCH) && !outer.containsKey(key) && !keys.containsKey(key)) {
                keys.put(key, values);
            }
        });
        List<Map<String, String>> combinations =
                expand(outer, keys).stream().map(this::withoutIdleSwitches).toList();
        List<Resolved> all = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        AtomicInteger done = new AtomicInteger();
        combinations.parallelStream().map(this::withMicroBatches).forEachOrdered(resolved -> {
            int before = seen.size();
            resolved.stream()
                    .filter(one -> one.point() == null || seen.add(question(one.point())))
                    .forEach(all::add);
            listing.tell((double) done.incrementAndGet() / combinations.size(), seen.size() - before);
        });
        return all;
    }

    /** Removes settings that need tensor parallelism if there is none. */
    private Map<String, String> withoutIdleSwitches(Map<String, String> settings) {
        if (!"1".equals(settings.get("strategy." + StrategyDescriptor.TENSOR))) {
            return settings;
        }
        Map<String, String> without = new LinkedHashMap<>(settings);
        for (String within : StrategyDescriptor.WITHIN_TENSOR) {
            if ("true".equals(file.text("strategy." + within))) {
                without.putIfAbsent("strategy." + within, "false");
            }
        }
        return without;
    }

    private @Nullable ScenarioPoint pointOf(Map<String, String> outer) {
        Resolved resolved = resolve(outer);
        refused = refused == null ? resolved.refused() : refused;
        return resolved.point();
    }

    /** Returns context-parallel sizes that leave each rank at least half a long sequence; none for a short one. */
    private static List<String> contextGroups(@Nullable ScenarioPoint point) {
        if (point == null || !(point.task() instanceof Task.Training training)) {
            return List.of();
        }
        List<String> groups = powers(1, Math.min(CONTEXT_MAX, training.sequenceLength() / (LONG_SEQUENCE / 2))).stream()
                .filter(pieces -> point.cluster().worldSize() % Integer.parseInt(pieces) == 0)
                .toList();
        return groups.size() == 1 ? List.of() : groups;
    }

    /** Returns shard groups from a node to the whole cluster. */
    private static List<String> shardGroups(@Nullable ScenarioPoint point) {
        return point == null
                ? List.of()
                : powers(point.cluster().gpusPerNode(), point.cluster().worldSize());
    }

    /** Returns expert-parallel sizes: all experts on each GPU, or spread over a node or more; none for a model without experts. */
    private static List<String> expertGroups(@Nullable ScenarioPoint point) {
        if (point == null || !(point.task() instanceof Task.Training training)) {
            return List.of();
        }
        int experts = training.model().mixture().experts().number();
        int ranks = Math.min(experts, point.cluster().worldSize());
        if (ranks == 1) {
            return List.of();
        }
        List<String> groups = powers(Math.min(ranks, point.cluster().gpusPerNode()), ranks).stream()
                .filter(group -> experts % Integer.parseInt(group) == 0)
                .toList();
        return Stream.concat(Stream.of("1"), groups.stream()).toList();
    }

    /** Resolves some settings with every possible micro-batch. */
    private List<Resolved> withMicroBatches(Map<String, String> settings) {
        Resolved resolved = resolve(settings);
        ScenarioPoint point = resolved.point();
        if (point == null || !(point.task() instanceof Task.Training)) {
            return List.of(new Resolved(settings, null, resolved.refused()));
        }
        List<String> listed = file.lists().get(MICRO_BATCH);
        if (listed == null && file.sets(MICRO_BATCH)) {
            return List.of(resolved);
        }
        int samples = PointBounds.samplesOfReplica(point);
        return (listed != null ? listed : divisors(samples))
                .stream()
                        .map(microBatch -> {
                            Map<String, String> with = new LinkedHashMap<>(settings);
                            with.put(MICRO_BATCH, microBatch);
                            return resolve(with);
                        })
                        .toList();
    }

    private static List<String> divisors(int samples) {
        return IntStream.rangeClosed(1, Math.min(samples, LargestMicroBatch.MICRO_BATCH_MAX))
                .filter(divisor -> samples % divisor == 0)
                .mapToObj(String::valueOf)
                .toList();
    }

    /** Returns everything that determines a point's result; equal questions have equal results. */
    private static Object question(ScenarioPoint point) {
        return List.of(point.cluster(), point.task(), point.collectives());
    }

    private void add(List<Resolved> all) {
        for (Resolved one : all) {
            if (one.point() == null) {
                refusals++;
                refused = refused == null ? one.refused() : refused;
            } else {
                candidates.add(new Candidate(one.settings(), one.point()));
            }
        }
    }

    private Resolved resolve(Map<String, String> settings) {
        try {
            return new Resolved(settings, file.with(settings), null);
        } catch (InputException broken) {
            return new Resolved(settings, null, broken);
        }
    }
}
