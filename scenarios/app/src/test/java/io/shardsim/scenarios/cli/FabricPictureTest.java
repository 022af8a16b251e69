package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.topology.FabricFamily;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.InstanceSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pictures of clusters, and the table of families and their drawings in docs/fabrics.md. */
class FabricPictureTest {
    private static final Path DOCUMENT = Path.of("../docs/fabrics.md");
    private static final Pattern TABLE = Pattern.compile("(?s)<!-- families -->\n.*?<!-- end -->\n");

    /** What is drawn of each family. */
    private static final Map<String, String> DRAWN = Map.of(
            "leaf_spine", "p5.48xlarge --svg",
            "rail_optimized", "dgx-h100 --svg --set fabric=rail_optimized --set nodes_per_leaf=2",
            "fat_tree",
                    "dgx-h100 --svg --nodes 8 --set fabric=fat_tree --set nodes_per_leaf=2 --set nodes_per_pod=4 --set oversubscription=2",
            "nvlink_domain", "dgx-gb200 --svg --nodes 8 --set nodes_per_domain=4",
            "torus", "dgx-h100 --svg --nodes 8 --set fabric=torus",
            "dragonfly",
                    "dgx-h100 --svg --nodes 12 --set fabric=dragonfly --set nodes_per_leaf=2 --set nodes_per_pod=4");

    @TempDir
    private Path folder;

    private static String picture(String arguments) {
        Shell shell = new Shell(Main.services());
        List<String> all = new ArrayList<>(List.of("catalog", "instances"));
        all.addAll(List.of(arguments.split(" ")));
        assertThat(shell.shardsim(all.toArray(String[]::new))).isZero();
        assertThat(shell.err()).isEmpty();
        return shell.out();
    }

    @Test
    void theDocumentDrawsEveryFamily() throws IOException {
        Map<String, String> machines = Catalog.instanceNames().stream()
                .collect(Collectors.groupingBy(
                        name -> fabric(name).kind(),
                        Collectors.mapping(name -> "`" + name + "`", Collectors.joining(", "))));
        StringBuilder table = new StringBuilder(
                "<!-- families -->\n| family | what it is | machines of the catalog |\n|---|---|---|\n");
        for (FabricFamily family : FabricFamily.all()) {
            table.append("| `")
                    .append(family.id())
                    .append("` | ")
                    .append(family.description())
                    .append(" | ");
            table.append(
                            family.id().equals(FabricSpec.LEAF_SPINE)
                                    ? "all others"
                                    : machines.getOrDefault(family.id(), "none by default"))
                    .append(" |\n");
        }
        String document = Files.readString(DOCUMENT);
        String expected = TABLE.matcher(document).replaceFirst(Matcher.quoteReplacement(table + "<!-- end -->\n"));
        check(DOCUMENT, expected);
        for (FabricFamily family : FabricFamily.all()) {
            Path image = DOCUMENT.resolveSibling("images/fabric-" + family.id() + ".svg");
            String command = Objects.requireNonNull(DRAWN.get(family.id()), family.id());
            check(image, picture(command));
            assertThat(document)
                    .contains("(images/" + image.getFileName() + ")", "shardsim catalog instances " + command);
        }
    }

    private static FabricSpec fabric(String instance) {
        return Objects.requireNonNull(Catalog.instance(instance)).spec().fabric();
    }

    private static void check(Path file, String expected) throws IOException {
        if (System.getProperty("docs.write") != null) {
            Files.writeString(file, expected);
        }
        assertThat(Files.readString(file))
                .as("%s; run this test with -Ddocs.write to write it anew", file)
                .isEqualTo(expected);
    }

    static List<String> instances() {
        return Catalog.instanceNames();
    }

    /** Two nodes of each machine: as many NICs and GPUs as there are, with their rates, in a file that is XML. */
    @ParameterizedTest
    @MethodSource("instances")
    @Tag("slow")
    void everyInstanceHasAPicture(String name) throws Exception {
        String svg = picture(name + " --svg --nodes 2");
        InstanceSpec instance = Objects.requireNonNull(Catalog.instance(name)).spec();
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        long gbits = instance.nic().lineRate().bytesPerSecond() * 8 / 1_000_000_000;
        assertThat(svg)
                .contains(
                        "NICs: " + instance.nicsPerNode() + " a node",
                        instance.gpusPerNode() + " x " + instance.gpu().name(),
                        gbits + " Gbit/s each",
                        "node 1<");
        assertThat(svg.split("<rect")).hasSizeGreaterThan(2 * (instance.gpusPerNode() + instance.nicsPerNode()));
    }

    @Test
    void ratesAreThoseOfTheLines() {
        assertThat(
                        picture(
                                "dgx-h100 --svg --nodes 4 --set fabric=leaf_spine --set nodes_per_leaf=2 --set oversubscription=2"))
                .contains("2 x leaf", "each up: 3.2 Tbit/s", "400 Gbit/s each", "450 GB/s per GPU");
        assertThat(picture("dgx-gb200 --svg")).contains("36 nodes, nvlink_domain", "144 x leaf");
        assertThat(picture("dgx-h100 --svg --nodes 5 --set fabric=rail_optimized --set nodes_per_leaf=4"))
                .as("the last leaf of each rail has one node, not four")
                .contains("each up: 400 Gbit/s to 1.6 Tbit/s");
        assertThat(picture("p4d.24xlarge --svg --set cluster.slow_nic=25Gbit/s"))
                .contains("100 Gbit/s each, Node[0].Nic[0] 25 Gbit/s<");
        for (String pcie :
                List.of("g4dn.metal", "g5.48xlarge", "g6.48xlarge", "g6e.48xlarge", "8x-rtx-3090", "8x-rtx-4090")) {
            assertThat(picture(pcie + " --svg")).as(pcie).contains(">PCIe<").doesNotContain("NVSwitch");
        }
        assertThat(picture("p4d.24xlarge --svg")).contains(">NVSwitch<");
        assertThat(picture("dgx-h100 --svg --nodes 1")).contains("1 node<").doesNotContain("spines");
    }

    @Test
    void aFileIsWrittenAndMistakesAreExplained() throws IOException {
        Path file = folder.resolve("a.svg");
        assertThat(picture("p4d.24xlarge --svg -o " + file)).isEmpty();
        assertThat(Files.readString(file)).startsWith("<svg").isEqualTo(picture("p4d.24xlarge --svg"));
        Map.of(
                        "p9 --svg", "instance p9 is not in the catalog",
                        "p5.48xlarge --svg --nodes 1000", "--nodes 1000 is not from 1 to 72",
                        "p5.48xlarge --svg --set fabric=clos", "--set 1: fabric clos is not one of leaf_spine",
                        "p5.48xlarge --svg --nodes 0", "--nodes 0 is not from 1 to 72",
                        "p5.48xlarge --svg --nodes 2 --set nodes=8",
                                "--set [nodes=8]: NAME, p5.48xlarge, and --nodes set that; change those instead",
                        "p5.48xlarge --svg --set cluster.instance=dgx-h100",
                                "--set [cluster.instance=dgx-h100]: NAME, p5.48xlarge, and --nodes set that; "
                                        + "change those instead",
                        "p5.48xlarge --nodes 3", "--nodes, --set and -o need --svg",
                        "--svg", "--svg needs the name of an instance")
                .forEach((arguments, message) -> {
                    Shell shell = new Shell(Main.services());
                    List<String> all = new ArrayList<>(List.of("catalog", "instances"));
                    all.addAll(List.of(arguments.split(" ")));
                    assertThat(shell.shardsim(all.toArray(String[]::new))).isEqualTo(ExitStatus.USAGE);
                    assertThat(shell.err()).contains(message);
                });
    }
}
