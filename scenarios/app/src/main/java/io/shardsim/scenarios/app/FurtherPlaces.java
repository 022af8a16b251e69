package io.shardsim.scenarios.app;

import java.io.File;
import java.io.IOException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Jars and folders that the user adds to the class path. A JVM passes over a file that is no jar without a word. */
final class FurtherPlaces {
    private FurtherPlaces() {}

    /**
     * What is wrong with the first that cannot be used.
     *
     * @param places as the class path has them; null where there are none
     * @return null where all can
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
