package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.writing.html.GalleryPage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LedgerTest {
    @Test
    void hasEveryRecordedFigureAndTheFirstOfEachSource() throws Exception {
        Ledger ledger = new Ledger(Path.of(".."));
        List<GalleryPage.Entry> entries = ledger.entries(Map.of());
        assertThat(entries).hasSameSizeAs(RecordedErrors.builtIn().rows());
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.simulated().first()).as(entry.published().id()).isPositive();
            assertThat(entry.simulated().today()).isPositive();
        });
        assertThat(ledger.chosen(""))
                .extracting(ReferenceCase::family)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(40);
        assertThat(ledger.chosen("ATORCH"))
                .hasSizeGreaterThan(4)
                .allMatch(one -> one.id().startsWith("ATORCH"));
        assertThat(ledger.chosen("no such")).isEmpty();
    }
}
