package io.shardsim.scenarios.planning;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the first candidates to simulate, so that a good one is known soon. In order of their bounds, most early candidates are too large, and
 * ruling those out takes long. Instead this samples settings other than the micro-batch, more densely among the first, and picks the most promising
 * ones with the largest micro-batch that fits.
 */
final class FirstLook {
    private static final int CHOSEN = 4;
    private static final int LOOKED_AT = 48;
    private static final double SPREAD = 2;

    private final CandidateChecks checks;

    FirstLook(CandidateChecks checks) {
        this.checks = checks;
    }

    /** @param hopes candidates, best bound first */
    List<BoundedCandidate> choose(List<BoundedCandidate> hopes) throws InterruptedException {
        List<Halving> open =
                drawn(List.copyOf(byChoice(hopes))).stream().map(Halving::new).toList();
        List<BoundedCandidate> chosen = new ArrayList<>();
        while (!open.isEmpty()) {
            // All at once, so that every thread has a plan to check.
            checks.fitting(open.stream().map(Halving::next).toList());
            List<Halving> further = new ArrayList<>();
            for (Halving one : open) {
                List<BoundedCandidate> fit = checks.fitting(List.of(one.next()));
                one.settle(fit.isEmpty() ? null : fit.get(0));
                if (one.isDone()) {
                    one.largest().ifPresent(chosen::add);
                } else {
                    further.add(one);
                }
            }
            open = further;
        }
        return chosen.stream().sorted(BoundedCandidate.BEST_FIRST).limit(CHOSEN).toList();
    }

    /** Samples choices, ever more sparsely towards the end. */
    private static List<List<BoundedCandidate>> drawn(List<List<BoundedCandidate>> choices) {
        return IntStream.range(0, choices.isEmpty() ? 0 : LOOKED_AT)
                .mapToObj(i -> choices.size() * StrictMath.pow((double) i / LOOKED_AT, SPREAD))
                .map(Double::intValue)
                .distinct()
                .map(choices::get)
                .toList();
    }

    /** Groups candidates that differ only in micro-batch, smallest first. */
    private static Collection<List<BoundedCandidate>> byChoice(List<BoundedCandidate> hopes) {
        Map<Map<String, String>, List<BoundedCandidate>> all = new LinkedHashMap<>();
        for (BoundedCandidate hope : hopes) {
            Map<String, String> choice = new HashMap<>(hope.candidate().settings());
            choice.remove(SearchSpace.MICRO_BATCH);
            all.computeIfAbsent(choice, key -> new ArrayList<>()).add(hope);
        }
        all.values()
                .forEach(choice -> choice.sort(
                        Comparator.comparing(hope -> hope.candidate().microBatch())));
        return all.values();
    }

    /** A binary search for the largest micro-batch of one choice. */
    private static final class Halving {
        private final List<BoundedCandidate> choice;
        private @Nullable BoundedCandidate largest;
        private int fits = -1;
        private int tooLarge;
        private int next;

        /** Starts with the smallest, which rules out most choices. */
        Halving(List<BoundedCandidate> choice) {
            this.choice = choice;
            tooLarge = choice.size();
        }

        BoundedCandidate next() {
            return choice.get(next);
        }

        /** @param fit the next candidate with the bound of its plan; null if it does not fit */
        void settle(@Nullable BoundedCandidate fit) {
            if (fit == null) {
                tooLarge = next;
            } else {
                largest = fit;
                fits = next;
            }
            next = (fits + tooLarge) / 2;
        }

        boolean isDone() {
            return tooLarge - fits <= 1;
        }

        Optional<BoundedCandidate> largest() {
            return Optional.ofNullable(largest);
        }
    }
}
