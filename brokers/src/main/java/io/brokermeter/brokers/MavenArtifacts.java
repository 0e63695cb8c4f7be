package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.hosts.DataDirectory;

/**
 * What a broker is made of, as files on this machine: from the local Maven repository, or fetched into it once through
 * the user's Maven settings (mirrors, proxies, logins, {@code offline}). What was fetched once needs no network again.
 * All methods block while they fetch; an interrupt does not shorten that, the time-outs of single requests do.
 */
final class MavenArtifacts {

    private final String title;
    private final Consumer<String> progress;

    /**
     * @param title what is fetched, for people: {@code Apache Kafka 4.4.0}
     * @param progress gets one sentence without a full stop at a time, and none when nothing is fetched
     */
    MavenArtifacts(String title, Consumer<String> progress) {
        this.title = title;
        this.progress = progress;
    }

    /**
     * The jars of some artifacts and of all that they need at run time, as Maven would put them on a class path.
     *
     * @param roots {@code group:artifact:version[:extension[:classifier]]}; a root's version wins over what others ask for
     * @param exclusions {@code group:artifact}, each part may be {@code *}: left out with all that only they need
     * @throws IllegalArgumentException with one sentence for the user, when a root does not exist
     * @throws BrokerException when something cannot be fetched, with one sentence that names it and the cause
     */
    List<Path> classPath(List<String> roots, List<String> exclusions) throws BrokerException {
        ClassPathCache memo = ClassPathCache.of(title, roots, exclusions);
        List<Path> known = memo.read();
        if (!known.isEmpty()) {
            return known;
        }
        try (MavenResolution resolution = new MavenResolution(title, progress)) {
            List<Path> jars = resolution.classPath(roots, exclusions);
            memo.write(jars);
            return jars;
        }
    }

    /**
     * Finds out whether one of some artifacts exists, by fetching it: POMs are meant.
     *
     * @throws IllegalArgumentException with one sentence for the user, when none does
     * @throws BrokerException when that cannot be found out
     */
    void requireAny(List<String> coordinates) throws BrokerException {
        MissingArtifactException missing = null;
        try (MavenResolution resolution = new MavenResolution(title, progress)) {
            for (String one : coordinates) {
                try {
                    resolution.file(one);
                    return;
                } catch (MissingArtifactException e) {
                    missing = e;
                }
            }
        }
        if (missing != null) {
            throw missing;
        }
    }

    /** Whether {@link #classPath} would answer at once, since it has answered before. */
    boolean isKnown(List<String> roots, List<String> exclusions) {
        return !ClassPathCache.of(title, roots, exclusions).read().isEmpty();
    }

    /**
     * The jars in some directories of an archive, which is unpacked into the user's cache directory once.
     *
     * @param archive {@code group:artifact:version:tar.gz:bin}; all its files must be below one directory
     * @param directories where the jars are below that one, such as {@code lib}; a missing directory counts as empty
     * @throws IllegalArgumentException with one sentence for the user, when the archive does not exist
     * @throws BrokerException when it cannot be fetched or unpacked, with one sentence that names it and the cause
     */
    List<Path> archiveJars(String archive, List<String> directories) throws BrokerException {
        String[] parts = archive.split(":");
        Path parent = CacheDirectory.of("archives").resolve(parts[0]);
        Path unpacked = parent.resolve(parts[1] + "-" + parts[2]);
        if (Files.notExists(unpacked)) {
            unpack(archive, parent, unpacked);
        }
        List<Path> jars = new ArrayList<>();
        for (String directory : directories) {
            Path place = unpacked.resolve(directory);
            if (Files.isDirectory(place)) {
                try (Stream<Path> files = Files.list(place)) {
                    files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
                } catch (IOException e) {
                    throw new BrokerException(title + " cannot be read from " + place + " (" + e + ").", e);
                }
            }
        }
        if (jars.isEmpty()) {
            throw new BrokerException(title + " has no jars in " + unpacked + "; delete that directory, and it is unpacked again.");
        }
        return List.copyOf(jars);
    }

    /** Unpacks beside the target and renames, so that an end in between, or another process that does the same, does no harm. */
    private void unpack(String archive, Path parent, Path target) throws BrokerException {
        Path file;
        try (MavenResolution resolution = new MavenResolution(title, progress)) {
            file = resolution.file(archive);
        }
        progress.accept("Unpacking " + title);
        Path partial = null;
        try {
            Files.createDirectories(parent);
            partial = Files.createTempDirectory(parent, "partial-");
            TarGz.unpack(file, partial);
            Files.move(partial, target);
        } catch (IOException e) {
            if (partial != null) {
                DataDirectory.delete(partial);
            }
            if (Files.notExists(target)) {
                throw new BrokerException(title + " cannot be unpacked from " + file + " to " + target + " (" + e + ").", e);
            }
        }
    }
}
