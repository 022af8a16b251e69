package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/cluster.md lists every class of the cluster once, with the lines of each part. */
class ClusterPartsTest {
    private static final Path MAIN = Path.of("app/src/main/java/io/shardsim/scenarios");

    private static Map<String, Integer> linesByClass() throws IOException {
        Map<String, Integer> lines = new TreeMap<>();
        for (String part : new String[] {"cluster", "cluster/wire", "serving"}) {
            try (Stream<Path> files = Files.list(MAIN.resolve(part))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    if (!name.equals("package-info")) {
                        lines.put(name, Files.readAllLines(file).size());
                    }
                }
            }
        }
        return lines;
    }

    @Test
    void tableHasEveryClassAndItsLines() throws IOException {
        Map<String, Integer> left = linesByClass();
        Matcher row = Pattern.compile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\| (\\d+) \\|")
                .matcher(Files.readString(Path.of("../docs/cluster.md")));
        int all = 0;
        while (row.find()) {
            int lines = 0;
            for (String name : row.group(1).replace("`", "").split(", ")) {
                assertThat(left).as(name).containsKey(name);
                lines += left.remove(name);
            }
            assertThat(Integer.parseInt(row.group(2))).as(row.group(1)).isCloseTo(lines, within(30));
            all += lines;
        }
        assertThat(left).as("classes without a row").isEmpty();
        assertThat(all).as("6,300 in all").isBetween(6_150, 6_350);
    }
}
