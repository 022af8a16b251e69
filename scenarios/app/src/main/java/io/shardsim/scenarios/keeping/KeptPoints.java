package io.shardsim.scenarios.keeping;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A folder with results of finished points, one file each. A result is identified by a hash of the build and of the whole point, which is both the
 * file's name and part of its content: a result of another point, scenario or build is never used, even from a renamed file. Files are written to a
 * temporary name, renamed, and checksummed: a killed run leaves only whole files, or files that are ignored. Not synced: a point lost in a power
 * failure is run again.
 */
public final class KeptPoints {
    /** Path relative to a report's folder. */
    private static final String FOLDER = ".points";

    private static final String ENDING = ".point";
    private static final String PART = ".part";

    private final Path folder;
    private final WireCodec codec = new WireCodec(List.of(ScenarioPoint.class, Kept.class));

    /**
     * The content of a file.
     *
     * @param name name of the point it belongs to, see {@link #name}
     */
    record Kept(String name, RunResult result) {}

    /** @param report folder of a report */
    public KeptPoints(Path report) {
        folder = report.resolve(FOLDER);
    }

    /** Returns the result of a point; empty if it is not stored, incomplete, or from another point. */
    public Optional<RunResult> find(ScenarioPoint point) {
        try {
            Kept kept = codec.unpack(Files.readAllBytes(file(point)), Kept.class);
            return kept.name().equals(name(point)) ? Optional.of(kept.result()) : Optional.empty();
        } catch (IOException missingOrBroken) {
            return Optional.empty();
        }
    }

    /** Returns whether any point is stored. */
    public boolean any() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + ENDING)) {
            return files.iterator().hasNext();
        } catch (IOException none) {
            return false;
        }
    }

    /** Stores the result of a point. */
    public void keep(ScenarioPoint point, RunResult result) throws IOException {
        Files.createDirectories(folder);
        String name = name(point);
        Path part = folder.resolve(name + "-" + UUID.randomUUID() + PART);
        try {
            Files.write(part, codec.pack(new Kept(name, result)));
            Files.move(part, file(point), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Deletes the points, once the report with all of them is written, and partial files of killed runs. */
    public void forget(List<ScenarioPoint> points) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        Set<String> names = new HashSet<>();
        points.forEach(point -> names.add(name(point)));
        boolean empty = true;
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder)) {
            for (Path file : left) {
                if (names.contains(pointOf(file))) {
                    Files.deleteIfExists(file);
                } else {
                    empty = false;
                }
            }
        }
        if (empty) {
            deleteEmpty(folder);
        }
    }

    /** Deletes a folder, and parents created for it: without a report there is nothing else in them. */
    private static void deleteEmpty(@Nullable Path folder) throws IOException {
        try {
            for (Path each = folder; each != null; each = each.getParent()) {
                Files.deleteIfExists(each);
            }
        } catch (DirectoryNotEmptyException done) {
            // It holds a report, or the user's files.
        }
    }

    /** Returns the name of the point that a file holds, whole or in part. */
    private static String pointOf(Path file) {
        return file.getFileName().toString().split("[-.]", 2)[0];
    }

    private Path file(ScenarioPoint point) {
        return folder.resolve(name(point) + ENDING);
    }

    private String name(ScenarioPoint point) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(Build.current().toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha.digest(codec.encode(point)), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
