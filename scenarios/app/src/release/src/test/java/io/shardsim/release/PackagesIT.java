package io.shardsim.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** What is published fits together: modules, options, checksums, POMs, and the manifest of docs/cluster.md. */
class PackagesIT {
    private static final long ARCHIVE_LIMIT = 80_000_000;

    @TempDir
    Path temporary;

    /** A module that is missing would end a command with NoClassDefFoundError on a machine without Java. */
    @Test
    void runtimeHasTheModulesThatJdepsFinds() throws Exception {
        Path jar = Published.unpack(Published.file("-linux-x64.tar.gz"), temporary)
                .resolve("shardsim-" + Published.VERSION + "/lib/shardsim.jar");
        StringWriter said = new StringWriter();
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(
                        new PrintWriter(said),
                        new PrintWriter(said),
                        "--print-module-deps",
                        "--ignore-missing-deps",
                        "--multi-release",
                        "17",
                        jar.toString());
        assertThat(status).as(said.toString()).isZero();

        String release = Files.readString(jar.resolveSibling("../runtime/release"));
        Matcher modules = Pattern.compile("MODULES=\"([^\"]*)\"").matcher(release);
        assertThat(modules.find()).as(release).isTrue();
        assertThat(modules.group(1).split(" "))
                .contains(said.toString().strip().split(","))
                .contains(System.getProperty("release.modules").split(","));
    }

    @Test
    void archiveIsSmall() throws IOException {
        assertThat(Files.size(Published.file("-linux-x64.tar.gz"))).isLessThan(ARCHIVE_LIMIT);
        try (ZipFile zip = new ZipFile(Published.file("-any.zip").toFile())) {
            assertThat(zip.stream().map(ZipEntry::getName))
                    .noneMatch(name -> name.contains("/runtime/"))
                    .anyMatch(name -> name.endsWith("/bin/shardsim.bat"));
        }
    }

    /** What fish completes is what there is. */
    @Test
    void manualHasEveryCommandAndOption() throws Exception {
        Path pages = Published.unpack(Published.file("-any.tar.gz"), temporary)
                .resolve("shardsim-" + Published.VERSION + "/share/man/man1");
        String java = System.getProperty("java.home") + "/bin/java";
        String completions = Commands.run(
                60,
                temporary,
                Map.of(),
                List.of(java, "-jar", System.getProperty("release.jar"), "completion", "--fish"));
        List<MatchResult> options = Pattern.compile("seen_subcommand_from (\\S+)'.* -l (\\S+)")
                .matcher(completions)
                .results()
                .toList();
        assertThat(options)
                .hasSizeGreaterThan(100)
                .allSatisfy(option -> assertThat(Files.readString(pages.resolve("shardsim-" + option.group(1) + ".1")))
                        .contains(("--" + option.group(2)).replace("-", "\\-")));
    }

    @Test
    void jvmStartsWithTheOptionsOfTheTree() throws IOException {
        String launcher = Files.readString(Published.ROOT.resolve("shardsim"));
        List<String> options =
                Files.readAllLines(Published.ROOT.resolve("scenarios/app/src/release/files/java.options"));
        assertThat(options.stream().filter(line -> !line.startsWith("#")))
                .allSatisfy(option ->
                        assertThat(launcher).containsPattern("(^|[\\s(=])" + Pattern.quote(option) + "([\\s)]|$)"));
    }

    @Test
    void checksumsNameEveryFile() throws Exception {
        Set<String> lines = new TreeSet<>(Files.readAllLines(Published.folder().resolve("SHA256SUMS")));
        Set<String> expected = new TreeSet<>();
        try (Stream<Path> all = Files.list(Published.folder())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("SHA256SUMS")) {
                    expected.add(Published.sha256(file) + "  " + file.getFileName());
                }
            }
        }
        assertThat(lines).isEqualTo(expected).hasSizeGreaterThan(7);
    }

    @Test
    void formulaNamesTheArchive() throws Exception {
        assertThat(Files.readString(Published.folder().resolve("shardsim.rb")))
                .contains("/v" + Published.VERSION + "/shardsim-" + Published.VERSION + "-any.tar.gz\"")
                .contains("sha256 \"" + Published.sha256(Published.file("-any.tar.gz")) + "\"");
    }

    /** What Maven Central asks for. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "shardsim",
                "topology",
                "simulator",
                "reports",
                "scenarios-core",
                "scenarios-frameworks",
                "scenarios-app"
            })
    void artifactsAreFitForMavenCentral(String name) throws Exception {
        Path repository = Published.folder().resolve("repository/io/shardsim");
        Path place = repository.resolve(name).resolve(Published.VERSION);
        String prefix = name + "-" + Published.VERSION;
        Document own = pom(place.resolve(prefix + ".pom"));
        Document parent =
                pom(repository.resolve("shardsim/" + Published.VERSION + "/shardsim-" + Published.VERSION + ".pom"));
        for (String element : List.of("name", "description")) {
            assertThat(text(own, element)).as(element).isNotBlank();
        }
        for (String element : List.of("url", "licenses", "developers", "scm")) {
            assertThat(text(parent, element)).as(element).isNotBlank();
        }
        if (!name.equals("shardsim")) {
            for (String kind : List.of("", "-sources", "-javadoc")) {
                Path jar = place.resolve(prefix + kind + ".jar");
                try (ZipFile zip = new ZipFile(jar.toFile())) {
                    assertThat(zip.size()).as(jar.toString()).isGreaterThan(5);
                }
                assertThat(jar.resolveSibling(jar.getFileName() + ".sha1")).exists();
            }
        }
    }

    private static Document pom(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    /** Of a child of the project itself. */
    private static String text(Document pom, String element) {
        StringBuilder text = new StringBuilder();
        for (var node = pom.getDocumentElement().getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node.getNodeName().equals(element)) {
                text.append(node.getTextContent());
            }
        }
        return text.toString();
    }

    @Test
    void manifestOfTheDocsFitsTheImage() throws Exception {
        Path image = Published.unpack(Published.file("-image.tar"), temporary);
        JsonNode config = Published.ofImage("config.json", image).path("config");
        JsonNode tags = Published.ofImage("manifest.json", image).path(0).path("RepoTags");

        String page = Files.readString(Published.ROOT.resolve("docs/cluster.md"));
        Matcher block =
                Pattern.compile("```yaml\n(apiVersion.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        List<JsonNode> documents = new ArrayList<>();
        for (String document : block.group(1).split("(?m)^---$")) {
            documents.add(new YAMLMapper().readTree(document));
        }
        JsonNode pod = documents.get(1).at("/spec/template/spec");
        JsonNode worker = pod.path("containers").path(0);

        assertThat(worker.path("image").asString()).isEqualTo(tags.path(0).asString());
        List<String> arguments =
                worker.path("args").valueStream().map(JsonNode::asString).toList();
        assertThat(arguments).startsWith("worker");
        String metrics = arguments.get(arguments.indexOf("--metrics-port") + 1);
        assertThat(worker.at("/readinessProbe/httpGet/port").asString()).isEqualTo(metrics);
        assertThat(worker.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/ready");
        Set<String> ports = documents
                .get(0)
                .at("/spec/ports")
                .valueStream()
                .map(port -> port.path("port").asString() + "/tcp")
                .collect(Collectors.toCollection(TreeSet::new));
        ports.add(metrics + "/tcp");
        assertThat(new TreeSet<>(config.path("ExposedPorts").propertyNames())).isEqualTo(ports);

        String user = config.path("User").asString();
        assertThat(user).matches("[1-9]\\d*:[1-9]\\d*");
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(user).startsWith(pod.at("/securityContext/runAsUser").asString() + ":");
        // The keys of a secret are readable by their group alone.
        assertThat(user).endsWith(":" + pod.at("/securityContext/fsGroup").asString());
    }

    @Test
    void wheelRecordsItsFilesAndRunsFromItsPath() throws Exception {
        Path wheel = Published.file("-py3-none-any.whl");
        String info = "shardsim-" + Published.VERSION + ".dist-info/";
        try (ZipFile zip = new ZipFile(wheel.toFile())) {
            Map<String, String> record = content(zip, info + "RECORD")
                    .lines()
                    .collect(Collectors.toMap(line -> line.split(",")[0], line -> line));
            assertThat(zip.stream().map(ZipEntry::getName)).containsExactlyInAnyOrderElementsOf(record.keySet());
            for (String name : record.keySet()) {
                if (!name.endsWith("/RECORD")) {
                    byte[] bytes = bytes(zip, name);
                    String hash = Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
                    assertThat(record.get(name)).isEqualTo(name + ",sha256=" + hash + "," + bytes.length);
                }
            }
            assertThat(content(zip, info + "METADATA")).contains("\nVersion: " + Published.VERSION + "\n");
        }
        Commands.needTool("python3");
        Map<String, String> environment = Map.of(
                "PYTHONPATH", wheel.toString(),
                "XDG_CACHE_HOME", temporary.resolve("cache").toString(),
                "JAVA_HOME", System.getProperty("java.home"));
        List<String> command = List.of("python3", "-m", "shardsim_tool", "version");
        for (int start = 0; start < 2; start++) {
            assertThat(Commands.run(120, temporary, environment, command))
                    .isEqualTo("shardsim " + Published.VERSION + "\n");
        }
        String program = """
                import shardsim
                rows = shardsim.run({
                    "model": "gpt2-1.5b",
                    "cluster": {"instance": "p4d.24xlarge", "nodes": 1},
                    "training": {"sequence_length": 512, "global_batch": 32, "micro_batch": 1},
                    "strategy": {"kind": "zero3"},
                }, set={"cluster.nodes": [1, 2]})
                print([row.gpus for row in rows], all(row.samples_per_second > 0 for row in rows))
                """;
        assertThat(Commands.run(120, temporary, environment, List.of("python3", "-c", program)))
                .isEqualTo("[8, 16] True\n");
    }

    /** Where there is no Java, the message says what to install. */
    @Test
    void launcherNamesTheJavaThatIsMissing() throws Exception {
        Path home = Published.unpack(Published.file("-any.tar.gz"), temporary).resolve("shardsim-" + Published.VERSION);
        Path tools = Files.createDirectories(temporary.resolve("tools"));
        for (String tool : List.of("sh", "dirname", "readlink", "sed")) {
            Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
        }
        ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/shardsim").toString(), "version");
        builder.environment().put("PATH", tools.toString());
        builder.environment().remove("JAVA_HOME");
        Process process = builder.start();
        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("needs Java 17 or newer, and found none")
                .contains("openjdk-17-jre-headless");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    /** Figures of two versions differ by what the model has learned between them. */
    @Test
    void resultsOfAnotherVersionAreRecognised() throws Exception {
        Path out = temporary.resolve("out");
        String java = System.getProperty("java.home") + "/bin/java";
        String jar = System.getProperty("release.jar");
        Path scenario = Files.writeString(temporary.resolve("small.yaml"), """
                scenario: small
                model: gpt2-1.5b
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 512, global_batch: 32, micro_batch: 1, activation_checkpointing: full}
                strategy: {kind: zero3}
                """);
        Commands.run(
                120,
                temporary,
                Map.of(),
                List.of(java, "-jar", jar, "run", scenario.toString(), "--no-trials", "--out", out.toString()));
        Path results = out.resolve("results.json");
        String own = Files.readString(results);
        assertThat(own).contains("\"version\" : \"" + Published.VERSION + "\"");
        List<String> compare = List.of(java, "-jar", jar, "compare", results.toString(), results.toString());
        Commands.run(120, temporary, Map.of(), compare);

        Files.writeString(results, own.replaceFirst("\"version\" : \"[^\"]*\"", "\"version\" : \"0.0.9\""));
        Process refused = new ProcessBuilder(compare).start();
        assertThat(new String(refused.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("is from shardsim 0.0.9, and this is " + Published.VERSION + "; run its scenario again");
        assertThat(refused.waitFor()).isEqualTo(2);
    }

    private static String content(ZipFile zip, String name) throws IOException {
        return new String(bytes(zip, name), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(ZipFile zip, String name) throws IOException {
        ZipEntry entry = zip.getEntry(name);
        assertThat(entry).as(name).isNotNull();
        try (InputStream stream = zip.getInputStream(entry)) {
            return stream.readAllBytes();
        }
    }
}
