package io.shardsim.scenarios.keeping;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A folder with what finished points came to, one file each. A file is named by a hash of the program and of all that the point says, so that nothing
 * of another scenario or build is ever taken for it, and runs that share the folder help each other. It is written aside and renamed, and has a
 * checksum: a killed run leaves whole files or none that is read. Not synced: a point that a power failure takes is run again.
 */
public final class KeptPoints {
    /** Within the folder of a report. */
    private static final String FOLDER = ".points";

    private static final String ENDING = ".point";

    private final Path folder;
    private final WireCodec codec = new WireCodec(List.of(ScenarioPoint.class, RunResult.class));

    /** @param report the folder of a report */
    public KeptPoints(Path report) {
        folder = report.resolve(FOLDER);
    }

    /** What a point came to; empty where that is not kept, or not whole. */
    public Optional<RunResult> find(ScenarioPoint point) {
        try {
            return Optional.of(codec.unpack(Files.readAllBytes(file(point)), RunResult.class));
        } catch (IOException missingOrBroken) {
            return Optional.empty();
        }
    }

    /** Keeps what a point came to. */
    public void keep(ScenarioPoint point, RunResult result) throws IOException {
        Files.createDirectories(folder);
        Path part = folder.resolve(UUID.randomUUID() + ".part");
        try {
            Files.write(part, codec.pack(result));
            Files.move(part, file(point), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Forgets the points, when the report that holds all of them is written. */
    public void forget(List<ScenarioPoint> points) throws IOException {
        for (ScenarioPoint point : points) {
            Files.deleteIfExists(file(point));
        }
        if (Files.isDirectory(folder)) {
            try (Stream<Path> left = Files.list(folder)) {
                if (left.findAny().isPresent()) {
                    return;
                }
            }
            Files.deleteIfExists(folder);
        }
    }

    private Path file(ScenarioPoint point) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(Build.current().toString().getBytes(StandardCharsets.UTF_8));
            return folder.resolve(HexFormat.of().formatHex(sha.digest(codec.encode(point)), 0, 16) + ENDING);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
