package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.simulator.strategy.Software;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Candidates whose strategy needs software that is not available. A plan does not choose them, but reports their gain. */
final class UnavailableSoftware {
    private final List<Candidate> candidates = new ArrayList<>();
    private final Set<String> kinds = new LinkedHashSet<>();

    /**
     * Moves candidates here from a search.
     *
     * @param software names of available software; if empty, software that anyone can install
     * @param written the software to write files for; available unless others are named
     * @throws InputException if nothing is left
     */
    void takeFrom(SearchSpace space, List<String> software, @Nullable String written) throws InputException {
        for (Candidate candidate : space.candidates()) {
            Software its = Strategies.software(candidate.kind());
            boolean anyones = its.only().isEmpty() || its.name().equals(written);
            if (software.isEmpty() ? !anyones : !software.contains(its.name())) {
                candidates.add(candidate);
                kinds.add(candidate.kind());
            }
        }
        space.candidates().removeIf(this::has);
        if (space.candidates().isEmpty()) {
            Candidate first = candidates.get(0);
            throw new InputException(
                    first.point().scenario(),
                    "has no strategy that runs in the available software; strategy " + first.kind()
                            + " needs --available "
                            + Strategies.software(first.kind()).name());
        }
    }

    /** Drops those of other kinds of strategies. */
    void retain(List<String> others) {
        kinds.retainAll(others);
        candidates.removeIf(candidate -> !has(candidate));
    }

    boolean has(Candidate candidate) {
        return kinds.contains(candidate.kind());
    }

    List<Candidate> candidates() {
        return candidates;
    }
}
