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
 * Chooses what is simulated before all else, so that something good is known soon: in the order of the bound most candidates that come first are too large, and to
 * rule these out takes long. Of choices beside the micro-batch, more of them among the first, those that promise most with the largest micro-batch that fits.
 */
final class FirstLook {
    private static final int CHOSEN = 4;
    private static final int LOOKED_AT = 48;
    private static final double SPREAD = 2;

    private final Check check;

    /** Says which of some fit, with the bound of their plan. */
    interface Check {
        List<BoundedCandidate> of(List<BoundedCandidate> hopes) throws InterruptedException;
    }

    FirstLook(Check check) {
        this.check = check;
    }

    /** @param hopes the best bound first */
    List<BoundedCandidate> choose(List<BoundedCandidate> hopes) throws InterruptedException {
        List<Halving> open =
                drawn(List.copyOf(byChoice(hopes))).stream().map(Halving::new).toList();
        List<BoundedCandidate> chosen = new ArrayList<>();
        while (!open.isEmpty()) {
            // All at once, so that each thread has one to look at.
            check.of(open.stream().map(Halving::next).toList());
            List<Halving> further = new ArrayList<>();
            for (Halving one : open) {
                List<BoundedCandidate> fit = check.of(List.of(one.next()));
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

    /** The later, the further apart. */
    private static List<List<BoundedCandidate>> drawn(List<List<BoundedCandidate>> choices) {
        return IntStream.range(0, choices.isEmpty() ? 0 : LOOKED_AT)
                .mapToObj(i -> choices.size() * StrictMath.pow((double) i / LOOKED_AT, SPREAD))
                .map(Double::intValue)
                .distinct()
                .map(choices::get)
                .toList();
    }

    /** What differs by its micro-batch alone, the smallest first. */
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

    /** A search for the largest micro-batch of one choice. */
    private static final class Halving {
        private final List<BoundedCandidate> choice;
        private @Nullable BoundedCandidate largest;
        private int fits = -1;
        private int tooLarge;
        private int next;

        /** Begins with the smallest, which rules out most choices. */
        Halving(List<BoundedCandidate> choice) {
            this.choice = choice;
            tooLarge = choice.size();
        }

        BoundedCandidate next() {
            return choice.get(next);
        }

        /** @param fit the next with the bound of its plan; null where it does not fit */
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
