package io.shardsim.simulator.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong in one file, each thing once. */
public final class Problems {
    private final String file;
    private final Set<Problem> found = new LinkedHashSet<>();
    private int told;

    public Problems(String file) {
        this.file = file;
    }

    public String file() {
        return file;
    }

    public void add(Position position, String message) {
        told++;
        found.add(new Problem(file, position, message));
    }

    /** Adds a problem in place of a value. */
    public <T> @Nullable T refuse(Position position, String message) {
        add(position, message);
        return null;
    }

    /** Different problems. */
    public int size() {
        return found.size();
    }

    /** Problems added so far, those that were known already included: points of a sweep may share one. */
    public int told() {
        return told;
    }

    /** In order of place. */
    public List<Problem> inOrder() {
        List<Problem> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparing(Problem::position));
        return sorted;
    }

    /**
     * @throws InputException when there is any problem
     */
    public void throwIfAny() throws InputException {
        if (!found.isEmpty()) {
            throw new InputException(inOrder());
        }
    }
}
