package io.shardsim.scenarios.app;

import java.io.File;
import java.io.IOException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Jars and folders that the user adds to the class path. A JVM silently ignores a file that is not a jar. */
final class FurtherPlaces {
    private FurtherPlaces() {}

    /**
     * Returns what is wrong with the first unusable entry.
     *
     * @param places entries in class-path syntax; null if there are none
     * @return null if all are usable
     */
    static @Nullable String problem(@Nullable String places) {
        if (places == null) {
            return null;
        }
        for (String place : places.split(File.pathSeparator)) {
            File file = new File(place);
            if (file.isFile()) {
                try (ZipFile jar = new ZipFile(file)) {
                    jar.size();
                } catch (IOException broken) {
                    return "SHARDSIM_CLASSPATH names " + place + ", which is not a jar (" + broken.getMessage()
                            + "); name jars or class folders";
                }
            }
        }
        return null;
    }
}
