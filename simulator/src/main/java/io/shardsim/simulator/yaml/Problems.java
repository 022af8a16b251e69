package io.shardsim.simulator.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the distinct problems of one file. */
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

    /** Adds a problem and returns null as the value. */
    public <T> @Nullable T refuse(Position position, String message) {
        add(position, message);
        return null;
    }

    /** Returns the number of distinct problems. */
    public int size() {
        return found.size();
    }

    /** Returns the number of problems added, repeated ones included: points of a sweep may share one. */
    public int told() {
        return told;
    }

    /** Returns the problems in order of position. */
    public List<Problem> inOrder() {
        List<Problem> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparing(Problem::position));
        return sorted;
    }

    /** @throws InputException if there is any problem */
    public void throwIfAny() throws InputException {
        if (!found.isEmpty()) {
            throw new InputException(inOrder());
        }
    }
}
