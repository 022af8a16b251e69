package io.shardsim.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What {@code mvn -Prelease verify} has made. */
final class Published {
    static final Path ROOT = Path.of(System.getProperty("release.root"));
    static final String VERSION = System.getProperty("release.version");
    private static final Path FOLDER = Path.of(System.getProperty("release.folder"));

    private Published() {}

    static Path folder() {
        return FOLDER;
    }

    static Path file(String suffix) {
        return FOLDER.resolve("shardsim-" + VERSION + suffix);
    }

    /** A JSON file of the image's tar. */
    static JsonNode ofImage(String name, Path unpacked) {
        return new ObjectMapper().readTree(unpacked.resolve(name));
    }

    /** Unpacks an archive, which holds what it holds and no more. */
    static Path unpack(Path archive, Path into) throws IOException, InterruptedException {
        Files.createDirectories(into);
        // Creation times, which Jib and Maven write, are unknown to GNU tar.
        Commands.run(
                120,
                into,
                java.util.Map.of(),
                java.util.List.of("tar", "--warning=no-unknown-keyword", "-xf", archive.toString()));
        return into;
    }

    static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] part = new byte[1 << 20];
            for (int count = stream.read(part); count >= 0; count = stream.read(part)) {
                hash.update(part, 0, count);
            }
        }
        return HexFormat.of().formatHex(hash.digest());
    }
}
