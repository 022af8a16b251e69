package io.shardsim.scenarios.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Problems of a new fault or release are reported with their positions. */
class DamagedEntriesTest {
    private static final String FROM = "from: {source: here, date: 2026-11}\n";

    @TempDir
    private Path place;

    private FigureFile read(FigureFolder folder, byte[] bytes) throws IOException {
        Path file = place.resolve(folder.path("mine"));
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {place.toUri().toURL()}, getClass().getClassLoader())) {
            return folder.in(loader).named("mine");
        }
    }

    private FigureFile read(FigureFolder folder, String text) throws IOException {
        return read(folder, text.getBytes(StandardCharsets.UTF_8));
    }

    private void refuses(FigureFolder folder, String text, String... messages) {
        assertThatThrownBy(() -> read(folder, text))
                .isInstanceOf(CatalogException.class)
                .hasMessage(String.join(System.lineSeparator(), messages));
    }

    @Test
    void aFaultIsReadAsWritten() throws IOException {
        KnownFault fault = KnownFault.of(read(KnownFault.FILES, """
                title: Mine
                odds: 2
                settings: {cluster.gpu_direct: false, cluster.nics_per_node: 1}
                variants:
                  - {title: half, times: {cluster.pcie: 0.5}}
                look: [here, there]
                """ + FROM));
        assertThat(fault.description())
                .containsExactly(
                        "Mine [here, 2026-11]",
                        "half: cluster.gpu_direct: false, cluster.nics_per_node: 1, cluster.pcie x 0.5",
                        "look at: here",
                        "look at: there");
    }

    @Test
    void everyProblemOfAFaultIsToldAtItsPlace() {
        refuses(
                KnownFault.FILES,
                """
                title: Mine
                odds: often
                setings: {}
                settings: {cluster.nic: [1], attention: flash, training.attenton: flash, zoo.wolf: b}
                times: {cluster.nic: 0.5, cluster.pcie: half}
                variants: [{titel: a}]
                unsimulated: {slowdown_max: 0.5}
                from: here
                """,
                "catalog/faults/mine.yaml:1:1: entry has no look; add look: a list, each item a string",
                "catalog/faults/mine.yaml:2:7: odds often is a string; write a whole number from 1 to 1000",
                "catalog/faults/mine.yaml:3:1: unknown key setings; did you mean settings?",
                "catalog/faults/mine.yaml:4:25: cluster.nic is a list; write a value",
                "catalog/faults/mine.yaml:4:30: key \"attention\" is not a dotted key such as training.attention;"
                        + " write a dotted key such as training.attention",
                "catalog/faults/mine.yaml:4:48: unknown key training.attenton; did you mean training.attention?",
                "catalog/faults/mine.yaml:4:74: unknown key zoo.wolf; write a dotted key such as training.attention",
                "catalog/faults/mine.yaml:5:9: key cluster.nic is not one of cluster.nics_per_node, cluster.pcie,"
                        + " faults.slow_nic; did you mean cluster.nics_per_node?",
                "catalog/faults/mine.yaml:5:41: cluster.pcie half is a string; write a number from 0.001 to 1000",
                "catalog/faults/mine.yaml:6:12: variant has no title; add title: a string",
                "catalog/faults/mine.yaml:6:13: unknown key titel; did you mean title?",
                "catalog/faults/mine.yaml:7:29: slowdown_max 0.5 < 1; write a number from 1 to 1000",
                "catalog/faults/mine.yaml:8:7: from here is a string; write a block with source, date");
    }

    @Test
    void everyProblemOfAReleaseIsToldAtItsPlace() {
        refuses(
                Releases.FILES,
                """
                title: Mine
                releases: [{settings: {attention: flash}}]
                with: {compile: {kind: {zero3: {}}}}
                origin: {source: here}
                """,
                "catalog/releases/mine.yaml:2:12: release has no from; add from: a name",
                "catalog/releases/mine.yaml:2:24: key \"attention\" is not a dotted key such as training.attention;"
                        + " write a dotted key such as training.attention",
                "catalog/releases/mine.yaml:3:18: unknown key kind; did you mean kinds?",
                "catalog/releases/mine.yaml:4:9: origin has no date; add date: a date such as 2022-10-31");
        refuses(
                Releases.FILES,
                "title: Mine\nreleases: []\norigin: {source: here, date: 2026}\n",
                "catalog/releases/mine.yaml:2:11: releases is an empty list; write a list, each item a block with"
                        + " from, validated, settings, kinds, where");
    }

    @Test
    void whatIsNoYamlIsTold() {
        refuses(
                KnownFault.FILES,
                "",
                "catalog/faults/mine.yaml:1:1: is empty; copy another file of its folder and edit it");
        refuses(
                KnownFault.FILES,
                "- 1\n",
                "catalog/faults/mine.yaml:1:1: entry is a list; write a block with title, extends, odds, settings, times, variants,"
                        + " ordered, question, unsimulated, look, from, sources");
        assertThatThrownBy(() -> read(Releases.FILES, new byte[] {0, (byte) 0xff, 1}))
                .hasMessage("catalog/releases/mine.yaml:1:1: is not UTF-8 text; save it as UTF-8");
    }
}
