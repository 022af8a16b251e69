package io.shardsim.scenarios;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.shardsim.scenarios.catalog.Strategies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Allowed dependencies. To change a rule that hinders a good design, change it here, in a commit that gives the reason. */
@Tag("once")
@Tag("slow")
class ArchitectureTest {
    private static final String PEKKO = "org.apache.pekko..";
    private static final Pattern RECORD =
            Pattern.compile("\\brecord (?<name>\\w+)(<[^>]*>)?\\((?<parts>[^{]*)\\)[^{)]*\\{");
    private static final JavaClasses SHARDSIM = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.shardsim");

    /** Left to right: a module uses those before it. */
    private static final List<String> MODULES = List.of("topology", "simulator", "reports", "scenarios");

    /** Maven builds them in this order, each with those before it. */
    private static final List<String> FOLDERS =
            List.of("topology", "simulator", "reports", "scenarios/core", "scenarios/frameworks", "scenarios/app");

    @Test
    void arrowsBetweenModulesPointToTheLeft() {
        for (int module = 0; module < MODULES.size(); module++) {
            String[] toTheRight = MODULES.subList(module + 1, MODULES.size()).stream()
                    .map(name -> "io.shardsim." + name + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage("io.shardsim." + MODULES.get(module) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(toTheRight)
                    .check(SHARDSIM);
        }
    }

    @Test
    void everyModuleIsLookedAt() {
        for (String module : MODULES) {
            assertThat(SHARDSIM.that(resideInAPackage("io.shardsim." + module + "..")))
                    .as(module)
                    .isNotEmpty();
        }
    }

    /**
     * The jars' compiler drops {@code @Nullable} of a compact constructor's parameters, and {@code mvn verify} checks a module against the jars of
     * earlier modules, so passing null there would be rejected.
     */
    @Test
    void recordsWithAbsentPartsWriteTheirConstructorOut() throws IOException {
        List<String> compact = new ArrayList<>();
        for (String module : FOLDERS.subList(0, FOLDERS.size() - 1)) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    Matcher record = RECORD.matcher(Files.readString(file));
                    while (record.find()) {
                        if (record.group("parts").contains("@Nullable")
                                && Pattern.compile("(?m)^ +(public )?" + record.group("name") + " \\{")
                                        .matcher(Files.readString(file))
                                        .find()) {
                            compact.add(file + ": " + record.group("name"));
                        }
                    }
                }
            }
        }
        assertThat(compact).isEmpty();
        assertThat(RECORD.matcher("record A(@Nullable B b) {").find()).isTrue();
    }

    @Test
    void placesPlansAndKernelTimesKnowNoActors() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.shardsim.topology..",
                        simulator("collective"),
                        simulator("plan"),
                        simulator("job"),
                        simulator("pipeline"),
                        simulator("strategy"),
                        simulator("workload"),
                        simulator("compute"),
                        simulator("schema"),
                        simulator("yaml"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(PEKKO, simulator("device"), simulator("kernel"), simulator("protocol"))
                .check(SHARDSIM);
    }

    /** A plan contains everything that devices, observers and reports need to know about it. */
    @Test
    void whatRunsAndReportsAPlanKnowsNoStrategies() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        simulator("plan"),
                        simulator("job"),
                        simulator("pipeline"),
                        simulator("workload"),
                        simulator("compute"),
                        simulator("collective"),
                        simulator("device"),
                        simulator("observation"),
                        simulator("kernel"),
                        simulator("protocol"),
                        simulator("run"),
                        simulator("schema"),
                        "io.shardsim.reports..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(simulator("strategy"))
                .check(SHARDSIM);
    }

    /** {@code Stream} describes what is special about a stream of collectives: a new stream needs no change of a device. */
    @Test
    void whatRunsAPlanAsksNoStreamOfCollectivesForItsName() {
        noClasses()
                .that()
                .resideInAnyPackage(simulator("device"), simulator("kernel"), simulator("protocol"))
                .or()
                .haveSimpleName("CollectiveSchedules")
                .should()
                .accessFieldWhere(STREAM_OF_COLLECTIVES)
                .check(SHARDSIM);
    }

    /** The public API exposes no types that programs may not rely on. */
    @Test
    void theApiShowsNoTypesOfOtherPackages() {
        methods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage("io.shardsim.scenarios.api")
                .and()
                .arePublic()
                .should(SHOW_NO_INTERNALS)
                .check(SHARDSIM);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.shardsim.scenarios.api")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.shardsim.scenarios.api")
                .check(SHARDSIM);
    }

    /** So a package can be read and changed without its users. */
    @Test
    void packagesOfAModuleUseEachOtherOneWay() {
        for (String module : List.of("simulator", "scenarios")) {
            slices().matching("io.shardsim." + module + ".(**)")
                    .should()
                    .beFreeOfCycles()
                    .check(SHARDSIM);
        }
    }

    /** The composition root is at the top: what it wires does not know it. */
    @Test
    void nothingKnowsTheCompositionRoot() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.shardsim.scenarios.app")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.shardsim.scenarios.app")
                .check(SHARDSIM);
    }

    @Test
    void reportsKnowNoActors() {
        noClasses()
                .that()
                .resideInAPackage("io.shardsim.reports..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(PEKKO, simulator("device"), simulator("kernel"))
                .check(SHARDSIM);
    }

    /** Pekko's internals are used only in the dispatcher and its event list, pinned to one version. */
    @Test
    void dispatcherInternalsStayInTheVirtualTimeDispatcher() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(VirtualTimeDispatcher|FutureEventList)[^.]*")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.pekko.dispatch..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.apache.pekko.actor.ActorCell")
                .check(SHARDSIM);
    }

    /** Equal results on every JDK: functions of Math may differ in the last bit, those of StrictMath do not. */
    @Test
    void resultsUseNoMathThatDiffersBetweenJvms() {
        noClasses()
                .should()
                .callMethodWhere(target(owner(are(JavaClass.Predicates.equivalentTo(Math.class))))
                        .and(target(nameMatching("sin|cos|tan|asin|acos|atan|atan2|exp|log|log10|cbrt|sinh|cosh|tanh"
                                + "|hypot|expm1|log1p|pow")))
                        .as("StrictMath has with the same result everywhere"))
                .check(SHARDSIM);
    }

    @Test
    void simulatedWorldReadsNoWallClockAndDrawsFromNoUnnamedSource() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.shardsim.topology..",
                        simulator("collective"),
                        simulator("compute"),
                        simulator("device"),
                        simulator("job"),
                        simulator("pipeline"),
                        simulator("plan"),
                        simulator("protocol"),
                        simulator("strategy"),
                        simulator("workload"))
                .should()
                .callMethodWhere(WALL_CLOCK)
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, ThreadLocalRandom.class)
                .check(SHARDSIM);
    }

    /** Read from the sources: a package-info without annotations has no class file. */
    @Test
    void everyPackageSaysWhatLivesInIt() throws IOException {
        for (String module : FOLDERS) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                Set<Path> packages = files.filter(file -> file.toString().endsWith(".java"))
                        .map(Path::getParent)
                        .collect(Collectors.toSet());
                assertThat(packages)
                        .as(module)
                        .isNotEmpty()
                        .allSatisfy(each -> assertThat(each.resolve("package-info.java"))
                                .content()
                                .contains("/**", "*/"));
            }
        }
    }

    /** Packages that map a framework's words to kinds of strategies. */
    private static final Set<String> FRAMEWORKS = Set.of("importing", "exporting");

    /**
     * A strategy is its class and its file, which declares everything that others need to know. Importers and writers map a framework's words to
     * kinds; smddp is also a collective library and its algorithm.
     */
    @Test
    void noStrategyIsNamedOutsideItsOwnFiles() throws IOException {
        String kinds = String.join("|", Strategies.kinds()).replace(".", "\\.");
        Pattern named = Pattern.compile("\"(?:[^\"\\n]*[^\"\\w.-])?(?:" + kinds + ")(?:[^\"\\w.-][^\"\\n]*)?\"");
        Set<String> found = new TreeSet<>();
        for (String module : FOLDERS) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    if (!FRAMEWORKS.contains(String.valueOf(file.getParent().getFileName()))) {
                        named.matcher(Files.readString(file))
                                .results()
                                .forEach(match -> found.add(file.getFileName() + " " + match.group()));
                    }
                }
            }
        }
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "CollectiveSettings.java \"smddp\"",
                        "MeshAlgorithm.java \"smddp\"",
                        "SmddpTransportModel.java \"smddp\"");
    }

    private static final ArchCondition<JavaMethod> SHOW_NO_INTERNALS =
            new ArchCondition<>("take and return no other types of shardsim") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                    Stream.concat(
                                    method.getRawParameterTypes().stream(),
                                    method.getReturnType().getAllInvolvedRawTypes().stream())
                            .filter(type -> type.getPackageName().startsWith("io.shardsim")
                                    && !type.getPackageName().equals("io.shardsim.scenarios.api"))
                            .forEach(type -> events.add(SimpleConditionEvent.violated(
                                    method, method.getFullName() + " shows " + type.getName())));
                }
            };

    /** A constructor's arguments can be understood at the call: few values, and no two adjacent booleans. */
    @Test
    void recordsCanBeRead() {
        assertThat(SHARDSIM.stream().map(JavaClass::reflect).filter(Class::isRecord))
                .isNotEmpty()
                .filteredOn(each -> {
                    List<String> types = Stream.of(each.getRecordComponents())
                            .map(component -> component.getType().getName())
                            .toList();
                    return types.size() > 8 || String.join(",", types).contains("boolean,boolean");
                })
                .isEmpty();
    }

    private static final DescribedPredicate<JavaFieldAccess> STREAM_OF_COLLECTIVES =
            DescribedPredicate.describe("name a stream of collectives", access -> {
                String owner = access.getTargetOwner().getName();
                return owner.equals("io.shardsim.simulator.plan.Stream")
                        && !access.getTarget().getName().matches("COMPUTE|HOST|\\$VALUES");
            });

    private static final DescribedPredicate<JavaCall<?>> WALL_CLOCK =
            DescribedPredicate.describe("read the wall clock", call -> {
                String owner = call.getTargetOwner().getName();
                String name = call.getName();
                return owner.equals("java.lang.System") && (name.equals("nanoTime") || name.equals("currentTimeMillis"))
                        || owner.startsWith("java.time.") && name.equals("now");
            });

    private static String simulator(String name) {
        return "io.shardsim.simulator." + name + "..";
    }
}
