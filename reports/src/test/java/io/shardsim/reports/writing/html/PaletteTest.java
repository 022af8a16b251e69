package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.Names;
import io.shardsim.reports.StreamLook;
import io.shardsim.simulator.plan.MemoryOwner;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaletteTest {
    @Test
    void everyStreamAndEveryOwnerOfMemoryHasAColour() {
        for (StreamLook look : StreamLook.all()) {
            assertThat(Palette.document()).containsKeys("lane-" + look.id(), "x-" + look.id());
            assertThat(Palette.document().get("lane-" + look.id()))
                    .containsEntry(
                            "colours",
                            List.of(look.paint().light(), look.paint().dark()));
        }
        for (MemoryOwner owner : MemoryOwner.values()) {
            assertThat(Palette.document()).containsKey("m-" + Names.id(owner).replace('_', '-'));
        }
    }

    /** Printed pages are light on any screen. */
    @Test
    void printIsLight() {
        String css = Palette.variables();
        assertThat(css.substring(css.indexOf("@media print"))).contains("--ink: #1c1f24", "--paper: #fff");
    }
}
