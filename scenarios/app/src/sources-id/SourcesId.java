import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes a hash over everything that the program is made of: sources, data, and the pom files with the versions of libraries. Whatever JDK compiles
 * them, it is the same. Started by Maven: {@code java SourcesId.java ROOT FILE}.
 */
final class SourcesId {
    private static final List<String> PARTS = List.of(
            "pom.xml",
            "topology/pom.xml",
            "topology/src/main",
            "simulator/pom.xml",
            "simulator/src/main",
            "reports/pom.xml",
            "reports/src/main",
            "scenarios/pom.xml",
            "scenarios/core/pom.xml",
            "scenarios/core/src/main",
            "scenarios/frameworks/pom.xml",
            "scenarios/frameworks/src/main",
            "scenarios/app/pom.xml",
            "scenarios/app/src/main/java",
            "scenarios/app/src/main/resources",
            "scenarios/library",
            "scenarios/accuracy/errors.csv");

    private SourcesId() {}

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
        Map<String, Path> files = new TreeMap<>();
        for (String part : PARTS) {
            try (Stream<Path> all = Files.walk(root.resolve(part))) {
                all.filter(Files::isRegularFile)
                        .filter(SourcesId::counts)
                        .forEach(file -> files.put(root.relativize(file).toString().replace('\\', '/'), file));
            }
        }
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        for (Map.Entry<String, Path> file : files.entrySet()) {
            byte[] content = content(file.getValue());
            hash.update((file.getKey() + " " + content.length + "\n").getBytes(StandardCharsets.UTF_8));
            hash.update(content);
        }
        String text = "sources=" + HexFormat.of().formatHex(hash.digest(), 0, 6) + "\n";
        Path target = Path.of(arguments[1]);
        Files.createDirectories(target.toAbsolutePath().getParent());
        if (!Files.isRegularFile(target) || !Files.readString(target).equals(text)) {
            Files.writeString(target, text);
        }
    }

    /** Editors' copies do not. */
    private static boolean counts(Path file) {
        String name = file.getFileName().toString();
        return !name.startsWith(".") && !name.startsWith("#") && !name.endsWith("~");
    }

    /** With the ends of lines that every system has. */
    private static byte[] content(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int kept = 0;
        for (byte each : bytes) {
            if (each != '\r') {
                bytes[kept++] = each;
            }
        }
        return java.util.Arrays.copyOf(bytes, kept);
    }
}
