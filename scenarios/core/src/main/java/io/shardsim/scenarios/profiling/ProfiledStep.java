package io.shardsim.scenarios.profiling;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * The profiled step of a run, each of whose files is read once.
 *
 * @param file profile of the first rank
 * @param first its step
 * @param arrivals of all ranks
 */
public record ProfiledStep(String file, Profile first, Arrivals arrivals) {
    /**
     * Reads profiles of ranks; of all but the first only the times of collectives are kept.
     *
     * @throws InputException with what is wrong with the profiles
     */
    public static ProfiledStep read(List<String> files) throws InputException {
        Profile first = ProfileReader.read(files.get(0));
        Arrivals.Reader reader = new Arrivals.Reader();
        List<Problem> problems = new ArrayList<>();
        reader.add(files.get(0), first, problems);
        for (String file : files.subList(1, files.size())) {
            try {
                reader.add(file, ProfileReader.read(file, first.step()), problems);
            } catch (InputException refused) {
                problems.addAll(refused.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new InputException(problems);
        }
        return new ProfiledStep(files.get(0), first, reader.arrivals(first.stepNs()));
    }

    /** Returns how long it takes [s]; NaN where the profile names no step. */
    public double seconds() {
        return first.namesStep() ? first.stepNs() / 1e9 : Double.NaN;
    }
}
