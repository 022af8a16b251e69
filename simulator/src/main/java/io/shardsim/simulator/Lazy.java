package io.shardsim.simulator;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lazily computed value. A failure to compute it is thrown on every access; a class initializer would throw it only on the first. */
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
