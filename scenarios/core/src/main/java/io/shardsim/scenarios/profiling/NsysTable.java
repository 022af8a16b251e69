package io.shardsim.scenarios.profiling;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.reader.NamedCsvRecordHandler;
import io.shardsim.simulator.yaml.InputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the output of {@code nsys stats --report cuda_gpu_trace --format csv}: kernels and copies of a GPU with start and duration.
 *
 * <p>Leaves out steps, process groups and bytes of collectives, which Nsight Systems does not record.
 */
final class NsysTable {
    private static final String START = "Start (ns)";
    private static final String LENGTH = "Duration (ns)";
    /** Maximum number of lines before the heading; nsys prints its progress there. */
    private static final int HEAD_LINES = 50;

    private static final String TRACE = "nsys stats --report cuda_gpu_trace --format csv REPORT";

    private NsysTable() {}

    /** Whether a file looks like an nsys kernel table. */
    static boolean isMeant(String file) {
        if (!file.endsWith(".csv")) {
            return false;
        }
        try (BufferedReader lines = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            return lines.lines().limit(HEAD_LINES).anyMatch(NsysTable::isHeading);
        } catch (IOException | UncheckedIOException | InvalidPathException unreadable) {
            return false;
        }
    }

    private static boolean isHeading(String line) {
        return line.startsWith("Start (") || line.startsWith("Time (%)");
    }

    /** Whether a file is named like a report of Nsight Systems or its SQLite export, which only nsys reads. */
    static boolean isReport(String file) {
        return file.endsWith(".sqlite") || file.endsWith(".nsys-rep") || file.endsWith(".qdrep");
    }

    /** @throws InputException with the file's problems */
    static Profile read(String file) throws InputException {
        if (isReport(file)) {
            throw new InputException(
                    file,
                    "is a report of Nsight Systems; write its kernels to a table, and give that: "
                            + TRACE.replace("REPORT", file) + " > trace.csv");
        }
        try (BufferedReader lines = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            int line = 1;
            String heading = lines.readLine();
            while (!isHeading(heading)) {
                heading = lines.readLine();
                line++;
            }
            List<String> columns = List.of(heading.split(","));
            try (CsvReader<NamedCsvRecord> csv = CsvReader.builder()
                    .allowExtraFields(true)
                    .build(NamedCsvRecordHandler.of(builder -> builder.header(columns)), lines)) {
                return profile(file, line, csv);
            }
        } catch (IOException | UncheckedIOException | CsvParseException broken) {
            throw new InputException(file, "cannot be read as a table of nsys: " + broken.getMessage());
        }
    }

    private static Profile profile(String file, int heading, CsvReader<NamedCsvRecord> rows) throws InputException {
        TreeMap<String, List<Profile.Kernel>> devices = new TreeMap<>();
        Map<Profile.Label, Profile.Label> labels = new HashMap<>();
        for (NamedCsvRecord row : rows) {
            if (row.findField(START).isEmpty() || row.findField(LENGTH).isEmpty()) {
                throw new InputException(
                        file, "has no columns " + START + " and " + LENGTH + "; print them by " + TRACE);
            }
            String name = row.findField("Name").orElse("");
            try {
                long startNs = Long.parseLong(row.getField(START));
                Profile.Label label = new Profile.Label(
                        KernelNames.of(name), name, row.findField("Strm").orElse(""), "");
                devices.computeIfAbsent(row.findField("Device").orElse(""), device -> new ArrayList<>())
                        .add(new Profile.Kernel(
                                labels.computeIfAbsent(label, same -> same),
                                startNs,
                                Math.addExact(startNs, Long.parseUnsignedLong(row.getField(LENGTH))),
                                0));
            } catch (NumberFormatException | ArithmeticException broken) {
                throw new InputException(
                        file,
                        "line " + (heading + row.getStartingLineNumber()) + " has no start and length in ns: "
                                + row.getField(START) + ", " + row.getField(LENGTH) + "; print the table again by "
                                + TRACE);
            }
        }
        Map.Entry<String, List<Profile.Kernel>> first = devices.firstEntry();
        if (first == null) {
            throw new InputException(file, "holds no kernels of a GPU; print them by " + TRACE);
        }
        List<Profile.Kernel> kernels = first.getValue();
        kernels.sort(Comparator.comparingLong(Profile.Kernel::startNs));
        return new Profile(
                0,
                "the whole table, which names no step" + (devices.size() > 1 ? ", " + first.getKey() : ""),
                kernels.get(0).startNs(),
                kernels.stream().mapToLong(Profile.Kernel::endNs).max().orElseThrow(),
                kernels);
    }
}
