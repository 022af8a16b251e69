package io.shardsim.simulator;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is made when it is first asked for. What keeps it from being made is thrown at each time; the initializer of a class would throw it at the first
 * one alone.
 */
public final class Lazy<T> implements Supplier<T> {
    private final Supplier<T> make;
    private volatile @Nullable T made;

    public Lazy(Supplier<T> make) {
        this.make = make;
    }

    @Override
    public T get() {
        T known = made;
        return known == null ? makeOnce() : known;
    }

    private synchronized T makeOnce() {
        T known = made;
        if (known == null) {
            known = make.get();
            made = known;
        }
        return known;
    }
}
