package io.brokermeter.brokers.artifact;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.hosts.DataDirectory;

/**
 * The artifacts of a broker as files on this machine: from the local Maven repository, or fetched into it once through the user's Maven
 * settings (mirrors, proxies, logins, {@code offline}). Artifacts that were fetched once need no network again. All methods block while
 * they fetch; an interrupt does not shorten that, but the time-outs of single requests do.
 */
public final class MavenArtifacts {

    private final String title;
    private final Consumer<String> progress;

    /**
     * Creates access to the artifacts of one broker.
     *
     * @param title name of what is fetched, for people: {@code Apache Kafka 4.4.0}
     * @param progress receives descriptions of the progress, each one sentence without a full stop; none when nothing is fetched
     */
    public MavenArtifacts(String title, Consumer<String> progress) {
        this.title = title;
        this.progress = progress;
    }

    /**
     * Returns the jars of some artifacts and of all their runtime dependencies, as Maven would put them on a class path.
     *
     * @param roots {@code group:artifact:version[:extension[:classifier]]}; the version of a root takes precedence over those that others
     *     request
     * @param exclusions {@code group:artifact}, where each part may be {@code *}: left out with all dependencies that only they have
     * @throws IllegalArgumentException with one sentence for the user, when a root does not exist
     * @throws BrokerException when an artifact cannot be fetched, with one sentence that names it and the cause
     */
    public List<Path> classPath(List<String> roots, List<String> exclusions) throws BrokerException {
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
     * Checks that at least one of some artifacts, which should be POMs, exists, by fetching it.
     *
     * @throws IllegalArgumentException with one sentence for the user, when none exists
     * @throws BrokerException when that cannot be determined
     */
    public void requireAny(List<String> coordinates) throws BrokerException {
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

    /** Returns whether {@link #classPath} would return at once, since it has returned this class path before. */
    public boolean isKnown(List<String> roots, List<String> exclusions) {
        return !ClassPathCache.of(title, roots, exclusions).read().isEmpty();
    }

    /**
     * Returns the jars in some directories of an archive, which is unpacked into the user's cache directory once.
     *
     * @param archive {@code group:artifact:version:tar.gz:bin}; all its files must be below one directory
     * @param directories directories of jars below that one, such as {@code lib}; a missing directory counts as empty
     * @throws IllegalArgumentException with one sentence for the user, when the archive does not exist
     * @throws BrokerException when the archive cannot be fetched or unpacked, with one sentence that names it and the cause
     */
    public List<Path> archiveJars(String archive, List<String> directories) throws BrokerException {
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

    /**
     * Unpacks an archive beside the target and renames the result, so that neither an abort nor another process that does the same leaves a
     * partial target.
     */
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
