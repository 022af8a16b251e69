package io.shardsim.scenarios.catalog;

import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.scenarios.fuzz.Damage;
import io.shardsim.scenarios.fuzz.Outcome;
import io.shardsim.scenarios.fuzz.Target;
import io.shardsim.scenarios.fuzz.Verdicts;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Catalog files as added by users: GPUs, instances, models, storage services, faults and releases. The first line of an input is the file's path.
 */
public final class CatalogTarget implements Target {
    private record Entry(FigureFolder folder, String name, String text) {}

    private final List<Entry> entries = new ArrayList<>();

    /** Reads the entries. */
    public CatalogTarget() throws Exception {
        for (FigureFolder folder : List.of(
                Catalog.GPUS, Catalog.INSTANCES, Catalog.MODELS, Catalog.STORAGE, KnownFault.FILES, Releases.FILES)) {
            for (String name : folder.names()) {
                try (InputStream in = Catalog.class.getClassLoader().getResourceAsStream(folder.path(name))) {
                    String text = new String(in == null ? new byte[0] : in.readAllBytes(), StandardCharsets.UTF_8);
                    entries.add(new Entry(folder, name, text));
                }
            }
        }
    }

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Entry entry = entries.get(random.nextInt(entries.size()));
        return (entry.folder().path(entry.name()) + "\n" + new Damage(random).text(entry.text()))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) {
        String whole = new String(input, StandardCharsets.UTF_8);
        String path = whole.lines().findFirst().orElse("");
        Entry entry = entries.stream()
                .filter(each -> each.folder().path(each.name()).equals(path))
                .findFirst()
                .orElse(null);
        if (entry == null) {
            return Outcome.of(Outcome.Kind.REFUSED);
        }
        String text = whole.substring(Math.min(whole.length(), path.length() + 1));
        try {
            FigureFolder folder = entry.folder().in(new OneFile(path, text.getBytes(StandardCharsets.UTF_8)));
            FigureFile file = folder.find(entry.name());
            return file != null && isUsed(entry.folder(), file)
                    ? Outcome.of(Outcome.Kind.READ)
                    : Outcome.fault("an entry that is not there");
        } catch (CatalogException refused) {
            String wrong = Verdicts.printed(String.valueOf(refused.getMessage()), text);
            return wrong.isEmpty() ? Outcome.of(Outcome.Kind.REFUSED) : Outcome.fault(wrong);
        }
    }

    private static boolean isUsed(FigureFolder folder, FigureFile file) {
        if (folder == Catalog.GPUS) {
            return Catalog.gpu(file).spec().smCount() > 0;
        }
        if (folder == Catalog.INSTANCES) {
            return Catalog.instance(file, file.name(), Map.of()).spec().gpusPerNode() > 0;
        }
        if (folder == Catalog.MODELS) {
            return Catalog.model(file).spec().parameters() > 0;
        }
        if (folder == KnownFault.FILES) {
            return !KnownFault.of(file).description().isEmpty();
        }
        if (folder == Releases.FILES) {
            return !Releases.of(file).description().isEmpty();
        }
        return Catalog.storage(file, Map.of()).spec().name().equals(file.name());
    }

    /** Class path with other text in one of its files. */
    private static final class OneFile extends ClassLoader {
        private final String path;
        private final byte[] bytes;

        OneFile(String path, byte[] bytes) {
            super(Catalog.class.getClassLoader());
            this.path = path;
            this.bytes = bytes;
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            return name.equals(path) ? new ByteArrayInputStream(bytes) : super.getResourceAsStream(name);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals(path)
                    ? Collections.enumeration(List.of(getParent().getResource(name)))
                    : super.getResources(name);
        }
    }
}
