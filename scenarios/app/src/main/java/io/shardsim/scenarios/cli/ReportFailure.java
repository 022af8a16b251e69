package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.OutOfHeap;
import io.shardsim.scenarios.keeping.KeptPoints;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Collection;
import java.util.Locale;

/** Says why a report could not be written, and how to get it without simulating everything again. */
final class ReportFailure {
    private final Collection<KeptPoints> kept;

    /** @param kept stored points of each sweep */
    ReportFailure(Collection<KeptPoints> kept) {
        this.kept = kept;
    }

    IllegalStateException ofFullHeap() {
        return new IllegalStateException(
                "cannot write the report: " + OutOfHeap.words() + resume(", and run again with --resume"));
    }

    IllegalStateException of(IOException refused) {
        String what = refused instanceof FileSystemException file
                ? file.getFile() + ": " + ShardsimCommand.reason(file)
                : "the report: " + refused.getMessage();
        String remedy = isFull(what) ? "; free space, then run again" : "; make it writable and run again";
        return new IllegalStateException("cannot write " + what + remedy + resume(" with --resume"), refused);
    }

    /** Whether the reason, as Linux, macOS or Windows words it, is a full disk. */
    private static boolean isFull(String reason) {
        String words = reason.toLowerCase(Locale.ROOT);
        return words.contains("no space left") || words.contains("quota") || words.contains("not enough space");
    }

    private String resume(String words) {
        return kept.stream().anyMatch(KeptPoints::any) ? words : "";
    }
}
