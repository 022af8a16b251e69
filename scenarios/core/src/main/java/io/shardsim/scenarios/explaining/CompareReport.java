package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Setting;
import io.shardsim.reports.writing.html.ComparePage;
import io.shardsim.reports.writing.html.ComparePage.Bar;
import io.shardsim.scenarios.explaining.Comparison.Contribution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a comparison as one HTML file: two waterfalls, and the differences. */
public final class CompareReport {
    private CompareReport() {}

    /** @param comparison comparison of two runs that fit in memory */
    public static String write(Comparison comparison) {
        return new ComparePage(
                        comparison.a().name() + " and " + comparison.b().name(),
                        CompareText.opening(comparison),
                        CompareText.per(comparison),
                        comparison.partNames().stream()
                                .map(part -> new Bar(
                                        part,
                                        comparison.aParts().getOrDefault(part, 0L),
                                        comparison.bParts().getOrDefault(part, 0L)))
                                .toList(),
                        comparison.contributions().stream()
                                .map(CompareReport::bar)
                                .toList(),
                        ComparePage.table(
                                List.of("setting", "A", "B"),
                                comparison.telling().stream()
                                        .map(one -> List.of(one.key(), value(one.a()), value(one.b())))
                                        .toList()),
                        List.of())
                .write();
    }

    private static Bar bar(Contribution contribution) {
        return new Bar(contribution.words(), 0, contribution.ps());
    }

    private static String value(@Nullable Setting setting) {
        return setting == null ? "-" : setting.value();
    }
}
