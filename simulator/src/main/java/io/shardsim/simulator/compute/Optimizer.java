package io.shardsim.simulator.compute;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Optimizer: the state that it keeps per parameter. Its file overrides figures of a framework profile with the bytes that its kernels move.
 *
 * @param name name of its file, or {@code adamw}
 * @param moments numbers per parameter that it keeps in the weight's format
 * @param packedBytes bytes per parameter that it keeps in its own format
 * @param orthogonalizes whether it orthogonalizes the momentum of every matrix within layers, while AdamW updates other parameters. Then it needs whole
 *     matrices, which sharding cuts
 */
public record Optimizer(String name, int moments, double packedBytes, boolean orthogonalizes) {
    /** AdamW as shipped by the framework. */
    public static final Optimizer OWN = new Optimizer("adamw", 2, 0, false);

    /** Returns the names allowed in a scenario. */
    public static List<String> names() {
        List<String> names = new ArrayList<>(List.of(OWN.name()));
        names.addAll(ProfileFiles.OPTIMIZERS.names());
        return names;
    }

    /** Returns the optimizer of that name; null if there is none. */
    public static @Nullable Optimizer find(String name) {
        return name.equals(OWN.name()) ? OWN : of(ProfileFiles.OPTIMIZERS.find(name));
    }

    /** Returns the optimizer that goes by a name, ignoring spelling; null if there is none. */
    public static @Nullable Optimizer called(String name) {
        return of(ProfileFiles.OPTIMIZERS.called(name));
    }

    private static @Nullable Optimizer of(@Nullable FigureFile file) {
        return file == null
                ? null
                : new Optimizer(
                        file.name(), file.count("moments"), file.decimal("packed_state"), file.has("newton_schulz"));
    }

    /**
     * Returns its state per parameter, without weight and gradient [bytes]. Parameters outside of the matrices that it orthogonalizes have AdamW's two
     * moments.
     *
     * @param weightBytes bytes of the weight that is updated
     */
    public double bytesPerParameter(int weightBytes, ModelShape model) {
        double ofVectors = orthogonalizes ? 1 - model.matrixShare() : 0;
        return (moments + ofVectors) * weightBytes + packedBytes;
    }

    FigureFile figures() {
        return ProfileFiles.OPTIMIZERS.named(name);
    }
}
