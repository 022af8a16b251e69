import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.LocalDateTime;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * What Maven's plugins have no words for. {@code parts} lays out what the archives, the image and the Debian package hold, and writes the wheel;
 * {@code sums}, when all is there, writes what names other files by their checksum. Equal inputs give equal bytes. Started by Maven.
 */
final class Stage {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

    private final Path root;
    private final Path jar;
    private final Path work;
    private final Path out;
    private final String version;
    private final String modules;

    private Stage(String[] arguments) {
        root = Path.of(arguments[1]).toAbsolutePath().normalize();
        jar = Path.of(arguments[2]);
        work = Path.of(arguments[3]);
        out = Path.of(arguments[4]);
        version = arguments[5];
        modules = arguments[6];
    }

    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments);
        if (arguments[0].equals("parts")) {
            stage.parts();
        } else {
            stage.sums();
        }
    }

    private void parts() throws Exception {
        Files.createDirectories(out);
        Files.createDirectories(work.resolve("classes"));
        Path stage = work.resolve("stage");
        delete(stage);
        Path own = root.resolve("scenarios/app/src/release");
        copy(own.resolve("files/shardsim"), stage.resolve("bin/shardsim"));
        copy(own.resolve("files/shardsim.bat"), stage.resolve("bin/shardsim.bat"));
        copy(own.resolve("files/java.options"), stage.resolve("lib/java.options"));
        copy(jar, stage.resolve("lib/shardsim.jar"));
        copy(root.resolve("LICENSE"), stage.resolve("LICENSE"));
        copy(root.resolve("NOTICE"), stage.resolve("NOTICE"));
        wheel(own, stage);
        run(stage, java("java"), "-cp", "lib/shardsim.jar", own.resolve("Manual.java").toString(), "share/man/man1", version);
        // In a JVM of its own: what it writes depends on the classes that its JVM has loaded.
        run(stage, java("jlink"), "--add-modules", modules,
                "--strip-java-debug-attributes", "--no-header-files", "--no-man-pages", "--output", "runtime");
        image(stage.resolve("runtime"));
    }

    private static String java(String tool) {
        return Path.of(System.getProperty("java.home"), "bin", tool).toString();
    }

    private static void run(Path folder, String... command) throws Exception {
        int status = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IllegalStateException(command[0] + " ended with status " + status);
        }
    }

    /** What an image without a distribution needs: the C library as this machine has it, a user, and two folders to write to. */
    private void image(Path runtime) throws Exception {
        Path image = work.resolve("image");
        delete(image);
        TreeSet<Path> libraries = new TreeSet<>();
        for (String binary : List.of("bin/java", "lib/server/libjvm.so", "lib/libjli.so", "lib/libzip.so", "lib/libnet.so", "lib/libnio.so")) {
            Process ldd = new ProcessBuilder("ldd", runtime.resolve(binary).toString()).start();
            LIBRARY.matcher(new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .results()
                    .map(each -> Path.of(each.group(1)))
                    .filter(each -> !each.startsWith(runtime))
                    .forEach(libraries::add);
        }
        for (Path library : libraries) {
            // By the name that the linker asks for, not where links end.
            copy(library, image.resolve(library.toString().substring(1)));
        }
        for (String part : List.of("libc6", "libgcc-s1", "libstdc++6", "zlib1g")) {
            Path terms = Path.of("/usr/share/doc", part, "copyright");
            if (Files.exists(terms)) {
                copy(terms, image.resolve(terms.toString().substring(1)));
            }
        }
        Files.createDirectories(image.resolve("etc"));
        Files.createDirectories(image.resolve("tmp"));
        Files.createDirectories(image.resolve("work"));
        Files.writeString(image.resolve("etc/passwd"), "shardsim:x:10001:10001:shardsim:/work:/nonexistent\n");
        Files.writeString(image.resolve("etc/group"), "shardsim:x:10001:\n");
        Files.writeString(image.resolve("etc/nsswitch.conf"), "hosts: files dns\n");
    }

    /** PEP 427: a zip whose RECORD lists each file with its hash. */
    private void wheel(Path own, Path stage) throws Exception {
        String info = "shardsim-" + version + ".dist-info/";
        Map<String, Path> files = new TreeMap<>();
        Path module = root.resolve("scenarios/app/src/main/python/shardsim.py");
        if (Files.exists(module)) {
            files.put("shardsim.py", module);
        }
        files.put("shardsim_tool/__init__.py", own.resolve("python/shardsim_tool/__init__.py"));
        files.put("shardsim_tool/__main__.py", own.resolve("python/shardsim_tool/__main__.py"));
        for (String file : List.of("bin/shardsim", "bin/shardsim.bat", "lib/java.options", "lib/shardsim.jar", "LICENSE", "NOTICE")) {
            files.put("shardsim_tool/" + file, stage.resolve(file));
        }
        for (String file : List.of("METADATA", "WHEEL", "entry_points.txt")) {
            files.put(info + file, work.resolve("texts/wheel").resolve(file));
        }
        StringBuilder record = new StringBuilder();
        Path wheel = out.resolve("shardsim-" + version + "-py3-none-any.whl");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(wheel))) {
            for (Map.Entry<String, Path> file : files.entrySet()) {
                byte[] bytes = Files.readAllBytes(file.getValue());
                add(zip, file.getKey(), bytes);
                String hash = Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(bytes));
                record.append(file.getKey()).append(",sha256=").append(hash).append(',').append(bytes.length).append('\n');
            }
            add(zip, info + "RECORD", record.append(info).append("RECORD,,\n").toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void add(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.of(2026, 1, 1, 0, 0));
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }

    private void sums() throws Exception {
        Path texts = work.resolve("texts");
        byte[] archive = Files.readAllBytes(out.resolve("shardsim-" + version + "-any.tar.gz"));
        Files.writeString(
                out.resolve("shardsim.rb"),
                Files.readString(texts.resolve("shardsim.rb")).replace("SHA256", HexFormat.of().formatHex(sha256(archive))));
        copy(texts.resolve("jbang-catalog.json"), out.resolve("jbang-catalog.json"));
        try (var system = java.nio.file.FileSystems.newFileSystem(jar)) {
            Path parts = system.getPath("META-INF/sbom/shardsim.cdx.json");
            if (Files.exists(parts)) {
                Files.write(out.resolve("shardsim-" + version + ".cdx.json"), Files.readAllBytes(parts));
            }
        }
        StringBuilder sums = new StringBuilder();
        try (Stream<Path> all = Files.list(out)) {
            for (Path file : all.filter(each -> Files.isRegularFile(each) && !each.endsWith("SHA256SUMS")).sorted().toList()) {
                sums.append(HexFormat.of().formatHex(sha256(Files.readAllBytes(file)))).append("  ").append(file.getFileName()).append('\n');
            }
        }
        Files.writeString(out.resolve("SHA256SUMS"), sums);
    }

    private static byte[] sha256(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
