package io.shardsim.scenarios.question;

import org.jspecify.annotations.Nullable;

/**
 * How collectives are carried.
 *
 * @param library whose choices of algorithm, protocol and channels are modelled
 * @param algorithm forced algorithm, or {@code auto} for the library's own choice
 * @param chunkBytes forced largest piece that one step moves, or null for the library's own [bytes]
 */
public record CollectiveSettings(
        String library, String algorithm, @Nullable Long chunkBytes) {
    public static final String AUTO = "auto";
}
