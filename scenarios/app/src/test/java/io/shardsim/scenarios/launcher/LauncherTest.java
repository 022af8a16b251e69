package io.shardsim.scenarios.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.launcher.Started.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher's decisions, in a checkout whose {@code mvn} is a script that logs each call. Its PATH has only the few tools that the launcher may
 * rely on, and no java.
 */
@Tag("slow")
class LauncherTest {
    private static final List<String> TOOLS = List.of(
            "bash",
            "cat",
            "cksum",
            "cp",
            "find",
            "head",
            "ln",
            "mkdir",
            "mv",
            "ps",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "tail",
            "touch");
    private static final String SOURCE = "scenarios/core/src/main/java/Source.java";

    @TempDir
    Path temp;

    private Path checkout;
    private Path bin;
    private Path elsewhere;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void makeCheckout() throws IOException {
        checkout = Files.createDirectories(temp.resolve("a check out"));
        bin = Files.createDirectories(temp.resolve("bin"));
        elsewhere = Files.createDirectories(temp.resolve("some where")).toRealPath();
        Path launcher = Path.of("..", "shardsim").toAbsolutePath().normalize();
        makeExecutable(Files.copy(launcher, checkout.resolve("shardsim")));
        Files.writeString(checkout.resolve("pom.xml"), "<project/>");
        Files.createDirectories(checkout.resolve(SOURCE).getParent());
        Files.writeString(checkout.resolve("scenarios/pom.xml"), "<project/>");
        Files.writeString(checkout.resolve(SOURCE), "class Source {}");
        packageProbe(checkout.resolve("probe.jar"));
        for (String tool : TOOLS) {
            makeScript(bin.resolve(tool), "exec " + onSystemPath(tool) + " \"$@\"");
        }
        maven("mkdir -p scenarios/build/launcher && cp probe.jar scenarios/build/launcher/shardsim.jar");
        environment.put("PATH", bin.toString());
        environment.put("HOME", temp.toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("XDG_CACHE_HOME", temp.resolve("cache").toString());
        environment.put("SHARDSIM_JDK_DIRS", temp.resolve("jdks").toString());
        environment.put("SHARDSIM_JAVA_OPTS", "");
    }

    @Test
    void buildsAtTheFirstStartOnly() throws Exception {
        Outcome first = start("a", "");
        Outcome second = start("b c");

        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out()).isEqualTo("in " + elsewhere + " with [a, ]\n");
        assertThat(first.err()).startsWith("shardsim: first start, building").hasLineCount(2);
        assertThat(second.out()).isEqualTo("in " + elsewhere + " with [b c]\n");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void buildsAgainWhenASourceIsEditedAddedOrDeleted() throws Exception {
        start();
        settle();
        Files.writeString(checkout.resolve(SOURCE), "class Source { int x; }");
        assertThat(start().err()).startsWith("shardsim: sources changed, building");
        settle();
        Files.writeString(checkout.resolve(SOURCE).resolveSibling("Other.java"), "class Other {}");
        start();
        settle();
        Files.delete(checkout.resolve(SOURCE));
        start();
        settle();
        Files.writeString(checkout.resolve("scenarios/pom.xml"), "<project></project>");
        start();
        start();

        assertThat(builds()).isEqualTo(5);
    }

    /** Maven copies resources and never removes any; class files stay for its comparison. */
    @Test
    void resourcesThatAreGoneAreNotBuiltIn() throws Exception {
        Path classes = Files.createDirectories(checkout.resolve("scenarios/build/launcher/classes/META-INF"))
                .getParent();
        Path gone = Files.writeString(classes.resolve("old.yaml"), "old: true");
        Path made = Files.writeString(classes.resolve("META-INF/made"), "by the compiler");
        Path compiled = Files.writeString(classes.resolve("Old.class"), "");
        start();

        assertThat(gone).doesNotExist();
        assertThat(made).exists();
        assertThat(compiled).exists();
    }

    @Test
    void editDuringABuildIsBuiltAtTheNextStart() throws Exception {
        maven("mkdir -p scenarios/build/launcher && cp probe.jar scenarios/build/launcher/shardsim.jar"
                + " && sleep 0.1 && touch " + SOURCE);
        start();
        start();

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void twoFirstStartsBuildOnce() throws Exception {
        maven("sleep 1; mkdir -p scenarios/build/launcher && cp probe.jar scenarios/build/launcher/shardsim.jar");
        Started one = begin("one");
        Started two = begin("two");

        assertThat(one.await(60).out()).isEqualTo("in " + elsewhere + " with [one]\n");
        assertThat(two.await(60).out()).isEqualTo("in " + elsewhere + " with [two]\n");
        assertThat(builds()).isEqualTo(1);
        assertNothingLeftOver();
    }

    @Test
    void lockOfADeadProcessIsBroken() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path lock = checkout.resolve("build/launcher/lock");
        Files.createDirectories(lock.getParent());
        Files.createSymbolicLink(lock, Path.of(Long.toString(dead.pid())));

        assertThat(start().status()).isZero();
        assertNothingLeftOver();
    }

    @Test
    void signalEndsTheBuildAndLeavesNoLock() throws Exception {
        maven("echo $$ > maven.pid; exec sleep 60");
        Started building = begin();
        Path pidFile = checkout.resolve("maven.pid");
        while (building.process().isAlive() && (!Files.exists(pidFile) || Files.size(pidFile) == 0)) {
            Thread.sleep(10);
        }
        long maven = Long.parseLong(Files.readString(pidFile).strip());
        building.process().destroy();

        assertThat(building.await(20).status()).isEqualTo(143);
        assertThat(ProcessHandle.of(maven).filter(ProcessHandle::isAlive)).isEmpty();
        assertNothingLeftOver();
    }

    @Test
    void failedBuildShowsItsLogAndIsTriedAgain() throws Exception {
        maven("echo '[ERROR] Source.java:[1,1] nonsense'; exit 1");
        Outcome failed = start();
        maven("mkdir -p scenarios/build/launcher && cp probe.jar scenarios/build/launcher/shardsim.jar");
        Outcome mended = start();

        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("[ERROR] Source.java:[1,1] nonsense", "the build failed", "build.log");
        assertThat(mended.status()).isZero();
        assertNothingLeftOver();
    }

    @Test
    void statusIsTheTools() throws Exception {
        assertThat(start("exit", "3").status()).isEqualTo(3);
    }

    @Test
    void startsThroughSymbolicLinks() throws Exception {
        Path link = Files.createSymbolicLink(elsewhere.resolve("second"), Path.of("../a check out/shardsim"));
        Path toLink = Files.createSymbolicLink(bin.resolve("first"), link);

        assertThat(Started.start(elsewhere, environment, List.of(toLink.toString(), "x"))
                        .await(60)
                        .out())
                .isEqualTo("in " + elsewhere + " with [x]\n");
    }

    @Test
    void saysThatNoJdkFitsAndWhichAreTooOld() throws Exception {
        makeJdk("jdk-11", "11.0.2");
        makeJdk("jdk8", "1.8.0_392");
        Files.createDirectories(temp.resolve("jdks/not-a-jdk"));
        environment.put("JAVA_HOME", "");
        Outcome outcome = start();

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .contains("needs a JDK 17 or newer, and found none", "11.0.2 in ", "1.8.0_392 in ", "JAVA_HOME");
        assertThat(builds()).isZero();
    }

    @Test
    void takesTheNewestJdkThatItFinds() throws Exception {
        makeJdk("a", "17.0.1");
        makeJdk("b", "99-ea");
        makeJdk("c", "21.0.3");
        environment.put("JAVA_HOME", "");

        assertThat(start("hello").out())
                .startsWith("99-ea")
                .endsWith(" hello\n")
                .contains("--sun-misc-unsafe");
    }

    @Test
    void fittingJavaHomeWinsOverANewerJdk() throws Exception {
        makeJdk("b", "99");
        environment.put("JAVA_HOME", makeJdk("a", "17.0.1").toString());

        assertThat(start().out()).startsWith("17.0.1").doesNotContain("--sun-misc-unsafe");
    }

    @Test
    void saysWhenJavaHomeIsPassedOver() throws Exception {
        makeJdk("b", "21.0.3");
        environment.put("JAVA_HOME", makeJdk("a", "11.0.2").toString());
        Outcome outcome = start();

        assertThat(outcome.out()).startsWith("21.0.3");
        assertThat(outcome.err()).contains("JAVA_HOME", "is not a JDK 17 or newer; taking 21.0.3 in ");
    }

    @Test
    void findsTheJdkBehindJavaOnThePath() throws Exception {
        Path home = makeJdk("../on-path", "22.0.1");
        Files.createSymbolicLink(bin.resolve("java"), home.resolve("bin/java"));
        environment.put("JAVA_HOME", "");

        assertThat(start().out()).startsWith("22.0.1");
    }

    @Test
    void doesWithoutAHomeFolder() throws Exception {
        makeJdk("../on-path", "99.0.1");
        Files.createSymbolicLink(bin.resolve("java"), temp.resolve("on-path/bin/java"));
        for (String name : List.of("HOME", "XDG_CACHE_HOME", "JAVA_HOME", "SHARDSIM_JDK_DIRS")) {
            environment.put(name, "");
        }
        Outcome outcome = start("hello");

        assertThat(outcome.err()).startsWith("shardsim: first start, building").hasLineCount(1);
        assertThat(outcome.out()).startsWith("99.0.1").endsWith(" hello\n");
    }

    @Test
    void saysThatMavenIsMissing() throws Exception {
        Files.delete(bin.resolve("mvn"));
        Outcome outcome = start();

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.err()).contains("needs Maven 3.8.6 or newer", "no mvn on PATH");
        assertNothingLeftOver();
    }

    @Test
    void archiveIsMadeOnceForEachJar() throws Exception {
        start();
        List<Path> first = archives();
        FileTime made = Files.getLastModifiedTime(first.get(0));
        start();

        assertThat(first).hasSize(1);
        assertThat(archives()).isEqualTo(first);
        assertThat(Files.getLastModifiedTime(first.get(0))).isEqualTo(made);
        assertThat(Files.size(first.get(0))).isPositive();

        settle();
        Files.writeString(checkout.resolve("probe.jar.txt"), "other contents");
        packageProbe(checkout.resolve("probe.jar"), "probe.jar.txt");
        Files.setLastModifiedTime(checkout.resolve(SOURCE), FileTime.from(Instant.now()));
        start();

        assertThat(archives()).hasSize(1).isNotEqualTo(first);
    }

    /** JDK 17 does not find an archive made from a jar whose path has a space; the tool then runs without it. */
    @Test
    void classesComeOutOfTheArchive() throws Exception {
        checkout = Files.move(checkout, temp.resolve("checkout"));
        environment.put("SHARDSIM_JAVA_OPTS", "-Xlog:class+load:stderr");

        assertThat(start().err()).containsPattern(LauncherProbe.class.getSimpleName() + " source: shared objects file");
    }

    @Test
    void startsWithoutACacheItCanWrite() throws Exception {
        environment.put("XDG_CACHE_HOME", checkout.resolve("pom.xml").toString());
        Outcome outcome = start("x");

        assertThat(outcome.status()).isZero();
        assertThat(outcome.out()).isEqualTo("in " + elsewhere + " with [x]\n");
        assertThat(outcome.err()).hasLineCount(1);
    }

    @Test
    void theFirstStartSaysWhatItWaitsFor() throws Exception {
        assertThat(start().err())
                .contains("first start on JDK ", "keeping an archive in " + temp.resolve("cache/shardsim"));
        assertThat(start().err()).isEmpty();
    }

    /** Services of systemd and small images have no HOME. */
    @Test
    void withoutAHomeThereIsNoArchive() throws Exception {
        environment.put("XDG_CACHE_HOME", "");
        environment.put("HOME", "");
        assertThat(start("x").out()).isEqualTo("in " + elsewhere + " with [x]\n");
        assertThat(Path.of("/nonexistent")).doesNotExist();
    }

    @Test
    void filesNamedInUtf8AreOpenedInEveryLocale() throws Exception {
        Files.writeString(elsewhere.resolve("m\u00f6del-\u6a21\u578b.yaml"), "four");
        environment.put("LC_ALL", "C");
        assertThat(start("size", "m\u00f6del-\u6a21\u578b.yaml").out()).endsWith("4 bytes\n");
    }

    @Test
    void damagedArchiveIsMadeAgain() throws Exception {
        start();
        Path archive = archives().get(0);
        archive.toFile().setWritable(true);
        byte[] contents = Files.readAllBytes(archive);
        contents[contents.length / 2] ^= 1;
        Files.write(archive, contents);
        Outcome outcome = start("x");

        assertThat(outcome.status()).isZero();
        assertThat(outcome.out()).isEqualTo("in " + elsewhere + " with [x]\n");
        assertThat(outcome.err()).contains("is damaged, making it again").hasLineCount(1);
        assertThat(archives()).hasSize(1);
        assertThat(start("x").err()).isEmpty();
    }

    @Test
    void damagedJarIsBuiltAgain() throws Exception {
        start();
        Path jar = checkout.resolve("build/launcher/shardsim.jar");
        byte[] contents = Files.readAllBytes(jar);
        contents[contents.length / 2] ^= 1;
        Files.write(jar, contents);
        Outcome outcome = start("x");

        assertThat(outcome.status()).isZero();
        assertThat(outcome.out()).isEqualTo("in " + elsewhere + " with [x]\n");
        assertThat(outcome.err())
                .contains("shardsim.jar is damaged, building it again")
                .hasLineCount(1);
        assertThat(builds()).isEqualTo(2);
        assertThat(start("x").err()).isEmpty();
    }

    @Test
    void archiveThatIsNoneDoesNoHarm() throws Exception {
        start();
        Path archive = archives().get(0);
        archive.toFile().setWritable(true);
        Files.writeString(archive, "this is no archive");
        Outcome outcome = start("x");

        assertThat(outcome.status()).isZero();
        assertThat(outcome.out()).isEqualTo("in " + elsewhere + " with [x]\n");
        assertThat(outcome.err()).contains("is damaged, making it again").hasLineCount(1);
    }

    @Test
    void passesTheUsersJvmOptions() throws Exception {
        environment.put("JAVA_HOME", makeJdk("a", "17.0.1").toString());
        environment.put("SHARDSIM_JAVA_OPTS", "-Xmx3g -Dx=y");

        assertThat(start("run").out()).contains(" -Xmx3g -Dx=y -jar ").endsWith("shardsim.jar run\n");
    }

    @Test
    void leavesTheChoiceOfACollectorToTheUser() throws Exception {
        environment.put("JAVA_HOME", makeJdk("a", "17.0.1").toString());

        assertThat(start("run").out()).contains(" -XX:+UseParallelGC ");
        environment.put("SHARDSIM_JAVA_OPTS", "-Xmx3g -XX:+UseSerialGC");
        assertThat(start("run").out()).contains(" -XX:+UseSerialGC ").doesNotContain("ParallelGC");
        environment.put("SHARDSIM_JAVA_OPTS", "-XX:-UseGCOverheadLimit");
        assertThat(start("run").out()).contains(" -XX:+UseParallelGC ");
    }

    @Test
    void aCollectorOfTheUserStarts() throws Exception {
        environment.put("SHARDSIM_JAVA_OPTS", "-XX:+UseSerialGC");
        Outcome outcome = start("x");

        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEqualTo("in " + elsewhere + " with [x]\n");
    }

    @Test
    void optionsThatNoJvmStartsWithAreTold() throws Exception {
        start();
        for (String options : List.of("-XX:+UseNothing", "-Xmx1m", "-XX:+UseSerialGC -XX:+UseParallelGC")) {
            environment.put("SHARDSIM_JAVA_OPTS", options);
            Outcome outcome = start("run");

            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.err())
                    .hasLineCount(1)
                    .matches("shardsim: no JVM starts with SHARDSIM_JAVA_OPTS=\"" + Pattern.quote(options)
                            + "\": (Unrecognized|Too small|Multiple garbage).*\n");
        }
    }

    @Test
    void aClosedStandardInputIsNotTheJar() throws Exception {
        environment.put("JAVA_HOME", makeJdk("a", "17.0.1").toString());
        start();
        List<String> closed = List.of("bash", "-c", "exec \"$0\" run - <&-", checkout + "/shardsim");

        assertThat(Started.start(elsewhere, environment, closed).await(60).out())
                .contains(" -Dshardsim.stdin=closed ");
        assertThat(start("run", "-").out()).doesNotContain("shardsim.stdin");
    }

    @Test
    void putsFurtherPlacesOnTheClassPath() throws Exception {
        environment.put("JAVA_HOME", makeJdk("a", "17.0.1").toString());
        Path further = Files.writeString(temp.resolve("further.jar"), "");
        environment.put("SHARDSIM_CLASSPATH", further + ":" + temp);

        assertThat(start("run").out())
                .endsWith("shardsim.jar:" + further + ":" + temp + " io.shardsim.scenarios.app.Main run\n")
                .doesNotContain(" -jar ");
    }

    @Test
    void refusesAPlaceOfTheClassPathThatDoesNotExist() throws Exception {
        environment.put("SHARDSIM_CLASSPATH", temp + ":nowhere/mine.jar");
        Outcome outcome = start("run");

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .endsWith("shardsim: SHARDSIM_CLASSPATH names nowhere/mine.jar, which does not exist\n");
    }

    private Started begin(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(checkout.resolve("shardsim").toString()));
        command.addAll(List.of(arguments));
        return Started.start(elsewhere, environment, command);
    }

    private Outcome start(String... arguments) throws IOException, InterruptedException {
        return begin(arguments).await(60);
    }

    private int builds() throws IOException {
        Path calls = checkout.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(temp.resolve("cache/shardsim"))) {
            return files.sorted().toList();
        }
    }

    /** Whatever ends a start, the launcher's folder contains only the build and the log. */
    private void assertNothingLeftOver() throws IOException {
        try (Stream<Path> files = Files.list(checkout.resolve("build/launcher"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .isSubsetOf("shardsim.jar", "built", "built.id", "build.log");
        }
    }

    /** Waits until the file system's clock has advanced, so that later files have later times. */
    private static void settle() throws InterruptedException {
        Thread.sleep(30);
    }

    private void maven(String body) throws IOException {
        makeScript(bin.resolve("mvn"), "echo \"$@\" >> calls\n" + body);
    }

    /** Creates a folder that looks like a JDK and whose java prints its version and arguments. */
    private Path makeJdk(String name, String version) throws IOException {
        Path home = temp.resolve("jdks").resolve(name).normalize();
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
        for (String program : List.of("java", "javac")) {
            makeScript(home.resolve("bin").resolve(program), "echo " + version + " \"$@\"");
        }
        return home;
    }

    private static void makeScript(Path file, String body) throws IOException {
        Files.writeString(file, "#!" + onSystemPath("bash") + "\n" + body + "\n");
        makeExecutable(file);
    }

    private static void makeExecutable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path onSystemPath(String tool) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + tool + " on PATH"));
    }

    private void packageProbe(Path jar, String... others) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, LauncherProbe.class.getName());
        String entry = LauncherProbe.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                InputStream in = LauncherProbe.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new JarEntry(entry));
            in.transferTo(out);
            for (String other : others) {
                out.putNextEntry(new JarEntry(other));
                Files.copy(checkout.resolve(other), out);
            }
        }
    }
}
