package io.shardsim.scenarios.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Contents of the jar built by {@code mvn package}. */
class PackagedJarIT {
    private static final String LICENCES = "META-INF/licenses/index.csv";

    /** Words that each licence text contains. */
    private static final Map<String, String> WORDS = Map.of(
            "Apache-2.0", "Apache License",
            "BSD-2-Clause", "BSD 2-Clause License",
            "BSD-3-Clause", "Neither the name of",
            "EPL-2.0", "Eclipse Public License - v 2.0",
            "MIT", "The above copyright notice and this permission notice shall be",
            "MIT-0", "MIT No Attribution");

    private JarFile jar;

    @BeforeEach
    void open() throws IOException {
        jar = new JarFile(System.getProperty("shardsim.jar"));
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    @Test
    void everyPartHasTheTextOfItsLicence() throws IOException {
        List<String> rows = text(LICENCES).lines().skip(1).toList();
        Set<String> used = new HashSet<>();
        for (JsonNode part : parts()) {
            String group = part.path("group").asString();
            String row = rows.stream()
                    .filter(each ->
                            each.startsWith(group + "," + part.path("name").asString() + ",")
                                    || each.startsWith(group + ",*,"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(LICENCES + " has no row for " + part.path("purl")));
            String[] cells = row.split(",");
            StringBuilder texts = new StringBuilder();
            for (String place : cells[3].split(" ")) {
                texts.append(text(place));
            }
            assertThat(texts.toString().replaceAll("\\s+", " ")).as(row).contains(WORDS.get(cells[2]));
            used.add(row);
        }
        assertThat(used).as("rows of parts that are shipped").containsAll(rows);
    }

    @Test
    void licencesAreThoseThatThePartsName() throws IOException {
        List<String> rows = text(LICENCES).lines().skip(1).toList();
        for (JsonNode part : parts()) {
            String group = part.path("group").asString();
            Set<String> named = new HashSet<>();
            part.path("licenses")
                    .forEach(each -> named.add(each.at("/license/id").asString()));
            assertThat(rows).as(part.path("purl").asString()).anySatisfy(row -> {
                assertThat(row).startsWith(group + ",");
                assertThat(named).contains(row.split(",")[2]);
            });
        }
    }

    @Test
    void scannersFindEveryPart() throws IOException {
        Set<String> parts = new HashSet<>();
        for (JsonNode part : parts()) {
            parts.add(coordinates(part));
        }
        parts.add(coordinates(bill().at("/metadata/component")));

        List<String> found = new ArrayList<>();
        for (JarEntry entry : jar.stream().toList()) {
            if (entry.getName().startsWith("META-INF/maven/") && entry.getName().endsWith("/pom.properties")) {
                Properties properties = new Properties();
                try (InputStream stream = jar.getInputStream(entry)) {
                    properties.load(stream);
                }
                found.add(properties.getProperty("groupId") + ":" + properties.getProperty("artifactId") + ":"
                        + properties.getProperty("version"));
            }
        }

        assertThat(parts).containsAll(found).hasSizeGreaterThan(40);
        assertThat(found).anyMatch(each -> each.startsWith("ch.qos.logback:logback-core:"));
    }

    @Test
    void saysWhereToReportAVulnerability() throws IOException {
        assertThat(text("META-INF/shardsim/SECURITY.md")).contains("Report a vulnerability");
        assertThat(text("META-INF/shardsim/NOTICE")).contains("META-INF/sbom/shardsim.cdx.json");
    }

    /** Otherwise jars from one source would differ by the JDK that built them. */
    @Test
    void nothingNamesTheJdk() throws IOException {
        assertThat(jar.getManifest().getMainAttributes().keySet())
                .extracting(Object::toString)
                .doesNotContain("Created-By", "Build-Jdk", "Build-Jdk-Spec");
        assertThat(bill().at("/metadata/timestamp").isMissingNode()).isTrue();
    }

    private JsonNode bill() throws IOException {
        assumeFalse(
                "offline=true".equals(System.getProperty("shardsim.maven")),
                "skipped: mvn -o writes no bill of materials");
        return new ObjectMapper().readTree(text("META-INF/sbom/shardsim.cdx.json"));
    }

    private JsonNode parts() throws IOException {
        JsonNode parts = bill().path("components");
        assertThat(parts.size()).isGreaterThan(40);
        return parts;
    }

    private static String coordinates(JsonNode part) {
        return part.path("group").asString() + ":" + part.path("name").asString() + ":"
                + part.path("version").asString();
    }

    private String text(String place) throws IOException {
        JarEntry entry = jar.getJarEntry(place);
        assertThat(entry).as(place).isNotNull();
        try (InputStream stream = jar.getInputStream(entry)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
