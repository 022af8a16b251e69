package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.accuracy.ReferenceCases;
import io.shardsim.simulator.yaml.InputException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Files of reference cases, as read by {@code validate}: one or two published cases each. */
final class CasesTarget implements Target {
    private static final List<String> CASES = cases();

    private static List<String> cases() {
        List<String> cases = new ArrayList<>();
        for (Texts.Named file : Texts.of("accuracy/cases")) {
            String[] parts = file.text().split("\n(?=  - id: )");
            cases.addAll(List.of(parts).subList(1, parts.length));
        }
        return cases;
    }

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder text = new StringBuilder("cases:\n");
        for (int count = random.nextInt(1, 3); count > 0; count--) {
            text.append(CASES.get(random.nextInt(CASES.size()))).append('\n');
        }
        return new Damage(random).encoded(text.toString());
    }

    @Override
    public Outcome outcome(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            return ReferenceCases.readText("fuzzed.yaml", text).isEmpty()
                    ? Outcome.fault("a file without cases")
                    : Outcome.of(Outcome.Kind.READ);
        } catch (InputException refused) {
            return Verdicts.refusal(refused.problems(), text);
        }
    }
}
