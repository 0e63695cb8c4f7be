package io.brokermeter.brokers.kind;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

import io.brokermeter.brokers.artifact.CacheDirectory;

/**
 * Unpacks the native library of Artemis for the journal {@code asyncio}, which its jar contains but the JVM loads only from a directory.
 */
final class LibaioWrapper {

    private static final String NAME = "libartemis-native-64.so";

    private LibaioWrapper() {}

    /**
     * Returns a directory of the user's cache with the library.
     *
     * @param jars the broker's jars
     * @return empty when the jars have no library for this machine, or when it cannot be written
     */
    static Optional<Path> directory(List<Path> jars) {
        for (Path jar : jars) {
            String file = String.valueOf(jar.getFileName());
            if (file.contains("artemis-native")) {
                Path directory = CacheDirectory.of("natives").resolve(file.replace(".jar", ""));
                return Files.exists(directory.resolve(NAME)) || isUnpacked(jar, directory) ? Optional.of(directory)
                    : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static boolean isUnpacked(Path jar, Path directory) {
        String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry entry = file.getEntry("lib/linux-" + architecture + "/" + NAME);
            if (entry == null) {
                return false;
            }
            Files.createDirectories(directory);
            Path partial = Files.createTempFile(directory, "partial-", ".so");
            try (InputStream input = file.getInputStream(entry)) {
                Files.copy(input, partial, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(partial, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
