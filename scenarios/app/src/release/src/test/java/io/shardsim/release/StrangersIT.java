package io.shardsim.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Packages as a stranger gets them: in a root folder with nothing else, without Java and network, or as a dependency. */
class StrangersIT {
    /** What a shell script of the archive needs, and what the runtime is linked to. */
    private static final List<String> BARE = List.of(
            "libc6",
            "libgcc-s1",
            "libstdc++6",
            "zlib1g",
            "dash",
            "coreutils",
            "libacl1",
            "libattr1",
            "libselinux1",
            "libpcre2-8-0",
            "libgmp10",
            "sed",
            "findutils");

    private static final Map<String, String> NOWHERE = Map.of();

    @TempDir
    Path temporary;

    @Test
    void archiveRunsInABareRoot() throws Exception {
        Path root = packages();
        Published.unpack(Published.file("-linux-x64.tar.gz"), root.resolve("opt"));
        answers(root, "/opt/shardsim-" + Published.VERSION + "/bin/shardsim");
    }

    @Test
    @Tag("night")
    void debianPackageAndArchiveRunInAFreshDebian() throws Exception {
        needRoot();
        Commands.needTool("debootstrap");
        Path root = temporary.resolve("debian");
        Commands.run(590, temporary, NOWHERE, List.of("debootstrap", "--variant=minbase", "bookworm", root.toString()));
        Published.unpack(Published.file("-linux-x64.tar.gz"), root.resolve("opt"));
        String archive = "/opt/shardsim-" + Published.VERSION + "/bin/shardsim";
        answers(root, archive);
        assertThat(within(root, "root", 300, archive, "run", "gpt2-30b-on-p4d", "--out", "/tmp/out"))
                .contains("Fastest:");
        Files.copy(
                Published.folder().resolve("shardsim_" + Published.VERSION + "_amd64.deb"), root.resolve("tmp/it.deb"));
        within(root, "root", 120, "/usr/bin/dpkg", "-i", "/tmp/it.deb");
        answers(root, "/usr/bin/shardsim");
    }

    /** Everything there is without Java: version, a catalog, a run whose figures equal those of this JVM's jar. */
    private void answers(Path root, String shardsim) throws Exception {
        assertThat(within(root, "root", 60, "/bin/sh", "-c", "command -v java || echo none"))
                .isEqualTo("none\n");
        assertThat(within(root, "root", 120, shardsim, "version")).isEqualTo("shardsim " + Published.VERSION + "\n");
        assertThat(within(root, "root", 120, shardsim, "catalog", "instances", "p4d.24xlarge"))
                .contains("p4d.24xlarge");
        assertThat(digest(within(root, "root", 120, shardsim, "run", "all-reduce-1gib", "--json")))
                .isEqualTo(digest(here("run", "all-reduce-1gib", "--json")));
    }

    @Test
    void imageRunsByItsEntrypoint() throws Exception {
        needRoot();
        Path image = Published.unpack(Published.file("-image.tar"), temporary.resolve("image"));
        Path root = Files.createDirectories(temporary.resolve("root"));
        for (JsonNode layer : Published.ofImage("manifest.json", image).at("/0/Layers")) {
            Published.unpack(image.resolve(layer.asString()), root);
        }
        inhabit(root);
        JsonNode config = Published.ofImage("config.json", image).path("config");
        List<String> entrypoint =
                config.path("Entrypoint").valueStream().map(JsonNode::asString).toList();
        String user = config.path("User").asString();

        assertThat(within(root, user, 60, with(entrypoint, "version")))
                .isEqualTo("shardsim " + Published.VERSION + "\n");
        assertThat(digest(within(
                        root, user, 120, with(entrypoint, "run", "all-reduce-1gib", "--json", "--out", "/work"))))
                .isEqualTo(digest(here("run", "all-reduce-1gib", "--json")));
        try (Stream<Path> written = Files.list(root.resolve("work"))) {
            assertThat(written)
                    .isNotEmpty()
                    .allSatisfy(file ->
                            assertThat(Files.getAttribute(file, "unix:uid")).hasToString(user.split(":")[0]));
        }
        String metrics = free();
        serves(
                root,
                user,
                "http://127.0.0.1:" + metrics + "/ready",
                with(entrypoint, "worker", "--seed", "--port", free(), "--metrics-port", metrics));
        String demo = free();
        serves(root, user, "http://127.0.0.1:" + demo + "/", with(entrypoint, "demo", "--port", demo));
    }

    private void serves(Path root, String user, String address, String... command) throws Exception {
        Path err = Files.createTempFile(temporary, "served", ".err");
        Process process = Commands.start(
                temporary,
                NOWHERE,
                chroot(List.of("unshare", "-m"), root, user, command),
                temporary.resolve("served"),
                err);
        try {
            HttpClient client = HttpClient.newHttpClient();
            await().atMost(Duration.ofSeconds(90)).ignoreExceptions().until(() -> {
                assertThat(process.isAlive()).as(Files.readString(err)).isTrue();
                return client.send(
                                        HttpRequest.newBuilder(URI.create(address))
                                                .build(),
                                        HttpResponse.BodyHandlers.discarding())
                                .statusCode()
                        == 200;
            });
        } finally {
            Commands.end(process);
        }
    }

    /** The program of docs/embedding.md in a project of its own, and the command as jbang would start it. */
    @Test
    @Tag("night")
    void projectOutsideTheTreeDependsOnTheArtifacts() throws Exception {
        Commands.needTool("mvn");
        JsonNode alias = new ObjectMapper()
                .readTree(Published.folder().resolve("jbang-catalog.json"))
                .at("/aliases/shardsim");
        String[] coordinates = alias.path("script-ref").asString().split(":");
        Path project = Files.createDirectories(temporary.resolve("outside"));
        Files.writeString(project.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>example</groupId><artifactId>outside</artifactId><version>1</version>
                  <properties>
                    <maven.compiler.source>17</maven.compiler.source>
                    <maven.compiler.target>17</maven.compiler.target>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  <repositories>
                    <repository><id>release</id><url>%s</url></repository>
                  </repositories>
                  <dependencies>
                    <dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>
                  </dependencies>
                </project>
                """.formatted(
                Published.folder().resolve("repository").toUri(), coordinates[0], coordinates[1], coordinates[2]));
        Matcher program = Pattern.compile("```java\n(package example;.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Published.ROOT.resolve("docs/embedding.md")));
        assertThat(program.find()).isTrue();
        Path source = project.resolve("src/main/java/example/ScalingCurve.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, program.group(1));

        assertThat(maven(project, "compile", "exec:java", "-Dexec.mainClass=example.ScalingCurve"))
                .contains("samples/s");
        assertThat(maven(
                        project,
                        "exec:java",
                        "-Dexec.mainClass=" + alias.path("main").asString(),
                        "-Dexec.args=version"))
                .contains("shardsim " + Published.VERSION);
    }

    /** With the libraries that this machine has, but for our own: those come from the repository that was released. */
    private String maven(Path project, String... words) throws Exception {
        Path local = temporary.resolve("local");
        if (!Files.exists(local)) {
            Path usual = Path.of(System.getProperty("release.local"));
            links(usual, local, "io");
            links(usual.resolve("io"), local.resolve("io"), "shardsim");
        }
        List<String> command = new ArrayList<>(List.of("mvn", "-q", "-B", "-Dmaven.repo.local=" + local));
        for (String word : words) {
            command.add(word.replace(
                    "exec:java",
                    "org.codehaus.mojo:exec-maven-plugin:" + System.getProperty("release.exec") + ":java"));
        }
        return Commands.run(300, project, Map.of("JAVA_HOME", System.getProperty("java.home")), command);
    }

    private static void links(Path from, Path to, String without) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> all = Files.list(from)) {
            for (Path each : all.filter(path -> !path.endsWith(without)).toList()) {
                Files.createSymbolicLink(to.resolve(each.getFileName()), each);
            }
        }
    }

    /** A root folder of a handful of Debian's packages: a shell, its tools, and the libraries that they share with the runtime. */
    private Path packages() throws Exception {
        needRoot();
        Commands.needTool("dpkg-deb");
        Path folder = Files.createDirectories(temporary.resolve("packages"));
        List<String> download = new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download"));
        download.addAll(BARE);
        try {
            Commands.run(120, folder, NOWHERE, download);
        } catch (AssertionError noLists) {
            Commands.run(120, folder, NOWHERE, List.of("apt-get", "-q", "update"));
            Commands.run(120, folder, NOWHERE, download);
        }
        Path root = Files.createDirectories(temporary.resolve("bare"));
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : all.toList()) {
                Commands.run(60, folder, NOWHERE, List.of("dpkg-deb", "-x", each.toString(), root.toString()));
            }
        }
        Files.createDirectories(root.resolve("tmp"));
        inhabit(root);
        return root;
    }

    /** What every container has. */
    private void inhabit(Path root) throws Exception {
        Files.createDirectories(root.resolve("proc"));
        Path devices = Files.createDirectories(root.resolve("dev"));
        for (Map.Entry<String, String> device :
                Map.of("null", "3", "random", "8", "urandom", "9").entrySet()) {
            String place = devices.resolve(device.getKey()).toString();
            Commands.run(10, temporary, NOWHERE, List.of("mknod", "-m", "666", place, "c", "1", device.getValue()));
        }
    }

    private static void needRoot() throws Exception {
        Commands.needTool("unshare");
        Commands.needTool("chroot");
        Commands.need("root".equals(System.getProperty("user.name")), "root, for chroot");
    }

    private String within(Path root, String user, int seconds, String... command) throws Exception {
        return Commands.run(seconds, temporary, NOWHERE, chroot(List.of("unshare", "-n", "-m"), root, user, command));
    }

    /** Containers have /proc, from which the linker learns where the runtime lies. */
    private static List<String> chroot(List<String> unshare, Path root, String user, String... command) {
        List<String> words = new ArrayList<>(unshare);
        words.addAll(List.of(
                "sh",
                "-c",
                "mount -t proc proc \"$0/proc\" && user=$1 && shift && exec env -i HOME=/tmp LANG=C.UTF-8 "
                        + "PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot --userspec=\"$user\" \"$0\" \"$@\""));
        words.add(root.toString());
        words.add(user.equals("root") ? "0:0" : user);
        words.addAll(List.of(command));
        return words;
    }

    private String here(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-jar", System.getProperty("release.jar")));
        words.addAll(List.of(arguments));
        return Commands.run(120, temporary, NOWHERE, words);
    }

    private static String digest(String results) {
        String digest =
                new ObjectMapper().readTree(results).at("/runs/0/digest").asString();
        assertThat(digest).isNotBlank();
        return digest;
    }

    private static String[] with(List<String> entrypoint, String... arguments) {
        return Stream.concat(entrypoint.stream(), Stream.of(arguments)).toArray(String[]::new);
    }

    private static String free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return String.valueOf(socket.getLocalPort());
        }
    }
}
