package io.brokermeter.brokers.artifact;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * A cache for one class path, in a file of the user's cache directory: resolving the class path again takes most of the time that a small
 * broker needs to start. An entry is valid only while every jar exists; where the file cannot be written, everything works without it.
 */
final class ClassPathCache {

    private final Path file;

    private ClassPathCache(Path file) {
        this.file = file;
    }

    /**
     * Returns the cache of a class path.
     *
     * @param title subject of the class path; the name of the file begins with it, in lower case and with hyphens
     */
    static ClassPathCache of(String title, List<String> roots, List<String> exclusions) {
        // A root of a fixed version never changes in a repository, nor do its dependencies.
        String question = String.join("\n", roots) + "\n-\n" + String.join("\n", exclusions);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(question.getBytes(StandardCharsets.UTF_8));
            return new ClassPathCache(CacheDirectory.of("class-paths").resolve(title.toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9.]+", "-") + "-" + HexFormat.of().formatHex(digest, 0, 12) + ".txt"));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the jars; an empty list when nothing is cached or a jar is gone. */
    List<Path> read() {
        try {
            List<Path> jars = Files.readAllLines(file).stream().map(Path::of).toList();
            return jars.stream().allMatch(Files::isRegularFile) ? jars : List.of();
        } catch (IOException | IllegalArgumentException e) {
            return List.of();
        }
    }

    void write(List<Path> jars) {
        try {
            Path directory = Files.createDirectories(CacheDirectory.of("class-paths"));
            Path partial = Files.createTempFile(directory, "partial-", ".txt");
            Files.write(partial, jars.stream().map(Path::toString).toList());
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // the next start resolves the class path as this one did
        }
    }
}
