package io.shardsim.reports.replay;

import io.shardsim.reports.PageFiles;
import io.shardsim.reports.StreamLook;
import org.jspecify.annotations.Nullable;

/** The files that the teaching page is made of; its style sheet begins with the colours of streams, which the report has too. */
public final class ReplayPage {
    private static final PageFiles FILES = new PageFiles(ReplayPage.class, "", "page.css", StreamLook.variables());

    private ReplayPage() {}

    /** The file of this name; null when there is none. */
    public static PageFiles.@Nullable Asset asset(String name) {
        return FILES.asset(name);
    }
}
