package io.shardsim.simulator.compute;

import io.shardsim.simulator.catalog.FigureFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What updates the weights: how much it keeps of a parameter beside weight and gradient. What its kernels move is part of the figures that its file puts
 * in the place of those of a framework profile.
 *
 * @param name that of its file, or {@code adamw}
 * @param moments numbers of a parameter that it keeps in the format of the weight
 * @param packedBytes bytes of a parameter that it keeps in a format of its own
 */
public record Optimizer(String name, int moments, double packedBytes) {
    /** AdamW as the framework ships it. */
    public static final Optimizer OWN = new Optimizer("adamw", 2, 0);

    /** Names that a scenario may give. */
    public static List<String> names() {
        List<String> names = new ArrayList<>(List.of(OWN.name()));
        names.addAll(ProfileFiles.OPTIMIZERS.names());
        return names;
    }

    /** The optimizer of that name; null where there is none. */
    public static @Nullable Optimizer find(String name) {
        return name.equals(OWN.name()) ? OWN : of(ProfileFiles.OPTIMIZERS.find(name));
    }

    /** The optimizer that people call by a name, however it is spelled; null where there is none. */
    public static @Nullable Optimizer called(String name) {
        return of(ProfileFiles.OPTIMIZERS.called(name));
    }

    private static @Nullable Optimizer of(@Nullable FigureFile file) {
        return file == null ? null : new Optimizer(file.name(), file.count("moments"), file.decimal("packed_state"));
    }

    /**
     * What it keeps of a parameter beside weight and gradient [bytes].
     *
     * @param weightBytes bytes of the weight that is updated
     */
    public double bytesPerParameter(int weightBytes) {
        return moments * weightBytes + packedBytes;
    }

    FigureFile figures() {
        return ProfileFiles.OPTIMIZERS.named(name);
    }
}
