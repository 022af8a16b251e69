package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The tables of keys against the frameworks' documentation. */
class KeyTablesTest {
    @Test
    void everyTableReads() {
        for (Importer importer : Importers.ALL) {
            KeyTable table = KeyTable.read(importer.table());
            assertThat(table.entries())
                    .as(importer.table())
                    .hasSizeGreaterThan(40)
                    .allSatisfy(entry -> {
                        assertThat(entry.note()).isNotBlank();
                        assertThat(entry.source()).isNotBlank();
                    });
        }
    }
}
