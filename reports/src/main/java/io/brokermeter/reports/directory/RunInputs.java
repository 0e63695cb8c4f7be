package io.brokermeter.reports.directory;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.KeptInput;
import org.jspecify.annotations.Nullable;

/**
 * The files that a scenario names and its producers read, bodies and recorded timings. A run keeps their checksums and, up to a size,
 * copies, so that it can be repeated after they have changed. Passwords, keys and client jars are never among them.
 */
public final class RunInputs {

    /** Name of the directory of their copies. */
    public static final String KEY = "files";

    /** The size of the largest file that is copied, in bytes; larger files have a checksum alone. */
    static final long LARGEST = 16L << 20;
    /** The most bytes that all copies in one place may have together. */
    static final long MOST = 64L << 20;

    private static final int NAME_DIGITS = 12;

    private RunInputs() {}

    /** Returns the files that a scenario reads, each once, as absolute paths. */
    static Set<Path> of(Scenario scenario) {
        return absolute(read(scenario));
    }

    /** Returns the files that scenarios read, those of their templates included, each once, as the scenarios have their paths. */
    public static Set<Path> named(Collection<Scenario> scenarios) {
        Set<Path> all = new LinkedHashSet<>(templatesOf(scenarios));
        scenarios.forEach(scenario -> all.addAll(read(scenario)));
        return all;
    }

    private static Set<Path> read(Scenario scenario) {
        Set<Path> all = new LinkedHashSet<>();
        for (ProducerGroupSpec side : scenario.producers()) {
            switch (side.messages().content()) {
                case Content.WholeFile(Path file) -> all.add(file);
                case Content.Lines(Path file) -> all.add(file);
                default -> {}
            }
            Stream.concat(Stream.of(side.load()), scenario.phases().stream().map(phase -> phase.loadOf(side))).forEach(load -> {
                if (load instanceof Load.Trace trace) {
                    all.add(trace.file());
                }
            });
        }
        return all;
    }

    private static Set<Path> absolute(Collection<Path> files) {
        Set<Path> absolute = new LinkedHashSet<>();
        files.forEach(file -> absolute.add(file.toAbsolutePath().normalize()));
        return absolute;
    }

    /** Returns the files that templates of scenarios were read from, each once, as absolute paths. */
    public static Set<Path> templates(Collection<Scenario> scenarios) {
        return absolute(templatesOf(scenarios));
    }

    private static Set<Path> templatesOf(Collection<Scenario> scenarios) {
        Set<Path> all = new LinkedHashSet<>();
        for (Scenario scenario : scenarios) {
            for (ProducerGroupSpec side : scenario.producers()) {
                if (side.messages().content() instanceof Content.Template template && template.file() != null) {
                    all.add(template.file());
                }
            }
        }
        return all;
    }

    /**
     * Copies files and records their checksums.
     *
     * @param run the directory of the run or sweep
     * @param place directory of the copies; several runs may share it, and then have one copy of equal files
     */
    public static List<KeptInput> keep(Set<Path> files, Path run, Path place) {
        List<KeptInput> all = new ArrayList<>();
        for (Path file : files) {
            String sum = null;
            Long bytes = null;
            try {
                sum = sum(file);
                bytes = Files.size(file);
                Path copy = place.resolve(name(file, sum));
                boolean there = Files.exists(copy);
                if (bytes > LARGEST || !there && size(place) + bytes > MOST) {
                    all.add(new KeptInput(file.toString(), sum, bytes, null, "too large"));
                } else {
                    PrivateFiles.directories(place);
                    if (!there) {
                        RunDirectory.write(copy, Files.readAllBytes(file));
                    }
                    all.add(new KeptInput(file.toString(), sum, bytes, run.relativize(copy).toString(), null));
                }
            } catch (IOException e) {
                all.add(new KeptInput(file.toString(), sum, bytes, null, String.valueOf(e.getMessage())));
            }
        }
        return all;
    }

    /** Returns the name of a copy; a copy of a copy has the same name. */
    private static String name(Path file, String sum) {
        String prefix = sum.substring(0, NAME_DIGITS) + "-";
        String own = RunStore.fileName(String.valueOf(file.getFileName()));
        return own.startsWith(prefix) ? own : prefix + own;
    }

    private static long size(Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return 0;
        }
        long size = 0;
        try (Stream<Path> files = Files.list(place)) {
            for (Path file : files.toList()) {
                size += Files.size(file);
            }
        }
        return size;
    }

    /**
     * Returns the copy of each file that runs read and that has changed since.
     *
     * @param kept results of {@link #keep}, by the directory that their copies are relative to
     * @param notes called with one sentence for each changed file
     * @throws UsageException for a changed file without a copy
     */
    public static Map<Path, Path> copies(Map<Path, List<KeptInput>> kept, Consumer<String> notes) {
        Map<Path, Path> copies = new LinkedHashMap<>();
        changed(kept).forEach((file, input) -> {
            Path copy = input.copy;
            if (copy == null || !Files.isRegularFile(copy)) {
                throw new UsageException(file + (Files.exists(file) ? " has changed" : " is gone")
                    + " since the run, which kept no copy of it (files above " + (LARGEST >> 20)
                    + " MiB have a checksum alone); put the file back.");
            }
            notes.accept(file + (Files.exists(file) ? " has changed" : " is gone") + " since the run, so its copy is sent: " + copy + ".");
            copies.put(file, copy);
        });
        return copies;
    }

    /** Returns the files that runs read and that have changed since. */
    public static Set<Path> changedFiles(Map<Path, List<KeptInput>> kept) {
        return changed(kept).keySet();
    }

    /** Returns the records of the files that runs read, by their directories. */
    public static Map<Path, List<KeptInput>> kept(List<Path> runs) {
        Map<Path, List<KeptInput>> all = new LinkedHashMap<>();
        runs.forEach(run -> all.put(run, inputs(run)));
        return all;
    }

    private record Input(String sha256, @Nullable Path copy) {}

    private static Map<Path, Input> changed(Map<Path, List<KeptInput>> kept) {
        Map<Path, Input> changed = new LinkedHashMap<>();
        Map<Path, String> sums = new HashMap<>();
        kept.forEach((run, inputs) -> {
            for (KeptInput one : inputs) {
                String sum = one.sha256();
                if (sum == null) {
                    continue;
                }
                Path file = Path.of(one.path());
                if (!sums.computeIfAbsent(file, RunInputs::sumOrNothing).equals(sum)) {
                    changed.putIfAbsent(file,
                        new Input(sum, one.copy() == null ? null : run.resolve(one.copy()).toAbsolutePath().normalize()));
                }
            }
        });
        return changed;
    }

    private static List<KeptInput> inputs(Path run) {
        try {
            return DocumentJson.read(EnvironmentDocument.class, Files.readString(run.resolve(RunDirectory.ENVIRONMENT))).files();
        } catch (IOException | IllegalArgumentException e) {
            return List.of();
        }
    }

    private static String sumOrNothing(Path file) {
        try {
            return sum(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static String sum(Path file) throws IOException {
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
