package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.ImportReport;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Files of training frameworks. The first line is the file's name, which determines its kind. The output of the import must be a scenario. */
final class ImportTarget implements Target {
    private static final List<Texts.Named> FILES = Texts.of("frameworks/src/test/resources/corpus").stream()
            .filter(file -> !file.name().equals("cases.yaml"))
            .toList();
    private static final int WIDTH = 80;

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Texts.Named file = FILES.get(random.nextInt(FILES.size()));
        return (file.name() + "\n" + new Damage(random).text(file.text())).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) {
        String whole = new String(input, StandardCharsets.UTF_8);
        int end = Math.max(0, whole.indexOf('\n'));
        String text = whole.substring(Math.min(whole.length(), end + 1));
        Imported imported;
        try {
            imported = ScenarioImport.readText(whole.substring(0, end), text, Choices.NONE);
        } catch (InputException refused) {
            return Verdicts.refusal(refused.problems(), text);
        }
        String scenario = ImportReport.yaml(imported, WIDTH);
        try {
            ScenarioReader.readText("imported.yaml", scenario);
        } catch (InputException unread) {
            return Outcome.fault(
                    "imports what is no scenario: " + unread.problems().get(0).message());
        }
        String wrong = Verdicts.printed(String.join("\n", ImportReport.summary(imported)), text);
        return wrong.isEmpty() ? Outcome.of(Outcome.Kind.READ) : Outcome.fault(wrong);
    }
}
