package io.brokermeter.reports;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The files that a scenario names and its producers read, bodies and recorded timings: a run keeps their checksums and, up to a size, copies, so that it can be
 * done again when they have changed. Passwords, keys and client jars are never among them.
 */
public final class RunInputs {

    /** Their key in {@code environment.json}, and the directory of the copies. */
    public static final String KEY = "files";

    /** Larger files have a checksum alone. */
    static final long LARGEST = 16L << 20;
    /** All copies in one place together. */
    static final long MOST = 64L << 20;

    private static final int NAME_DIGITS = 12;

    private RunInputs() {}

    /** The files that a scenario reads, each once, absolute. */
    static Set<Path> of(Scenario scenario) {
        Set<Path> all = new LinkedHashSet<>();
        for (ProducerSide side : scenario.producers()) {
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
        Set<Path> absolute = new LinkedHashSet<>();
        all.forEach(file -> absolute.add(file.toAbsolutePath().normalize()));
        return absolute;
    }

    /**
     * Copies the files of a scenario.
     *
     * @param run the directory of the run
     * @param place where copies go; several runs may share it, which then have one copy of what is the same
     * @return for each file {@code path}, {@code sha256}, {@code bytes} and {@code copy}, which is relative to the run, or null with a {@code reason}
     */
    static List<Map<String, @Nullable Object>> keep(Scenario scenario, Path run, Path place) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        for (Path file : of(scenario)) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("path", file.toString());
            try {
                String sum = sum(file);
                long bytes = Files.size(file);
                one.put("sha256", sum);
                one.put("bytes", bytes);
                Path copy = place.resolve(name(file, sum));
                boolean there = Files.exists(copy);
                if (bytes > LARGEST || !there && size(place) + bytes > MOST) {
                    one.put("copy", null);
                    one.put("reason", "too large");
                } else {
                    PrivateFiles.directories(place);
                    if (!there) {
                        RunDirectory.write(copy, Files.readAllBytes(file));
                    }
                    one.put("copy", run.relativize(copy).toString());
                }
            } catch (IOException e) {
                one.put("copy", null);
                one.put("reason", String.valueOf(e.getMessage()));
            }
            all.add(one);
        }
        return all;
    }

    /** A copy of a copy has the same name. */
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
     * For each file that runs read and that is not the same any more, its copy.
     *
     * @param runs directories of runs
     * @param notes hears one sentence for each
     * @throws UsageException for a file of which no copy was kept
     */
    public static Map<Path, Path> copies(List<Path> runs, Consumer<String> notes) {
        Map<Path, Path> copies = new LinkedHashMap<>();
        changed(runs).forEach((file, input) -> {
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

    /** The files that runs read and that are not the same any more. */
    public static Set<Path> changedFiles(List<Path> runs) {
        return changed(runs).keySet();
    }

    private record Input(String sha256, @Nullable Path copy) {}

    private static Map<Path, Input> changed(List<Path> runs) {
        Map<Path, Input> changed = new LinkedHashMap<>();
        Map<Path, String> sums = new HashMap<>();
        for (Path run : runs) {
            for (Map<String, @Nullable Object> one : inputs(run)) {
                if (!(one.get("path") instanceof String path) || !(one.get("sha256") instanceof String sum)) {
                    continue;
                }
                Path file = Path.of(path);
                if (!sums.computeIfAbsent(file, RunInputs::sumOrNothing).equals(sum)) {
                    changed.putIfAbsent(file,
                        new Input(sum, one.get("copy") instanceof String copy ? run.resolve(copy).toAbsolutePath().normalize()
                            : null));
                }
            }
        }
        return changed;
    }

    private static List<Map<String, @Nullable Object>> inputs(Path run) {
        try {
            return JsonText.maps(JsonText.read(Files.readString(run.resolve(RunDirectory.ENVIRONMENT))).get(KEY));
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
