package io.brokermeter.brokers;

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
 * A class path that was found once, in a file of the user's cache directory: to find it again takes most of the time
 * that a small broker needs to start. It counts only while every jar is still there; where it cannot be written,
 * everything works without it.
 */
final class ClassPathCache {

    private final Path file;

    private ClassPathCache(Path file) {
        this.file = file;
    }

    /** @param title what it is the class path of; the file's name begins with it, in small letters and with hyphens */
    static ClassPathCache of(String title, List<String> roots, List<String> exclusions) {
        // A root of a fixed version never changes on a repository, nor does what it needs.
        String question = String.join("\n", roots) + "\n-\n" + String.join("\n", exclusions);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(question.getBytes(StandardCharsets.UTF_8));
            return new ClassPathCache(CacheDirectory.of("class-paths").resolve(title.toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9.]+", "-") + "-" + HexFormat.of().formatHex(digest, 0, 12) + ".txt"));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The jars; empty when nothing is known or a jar is gone. */
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
            // the next start finds the class path as this one did
        }
    }
}
