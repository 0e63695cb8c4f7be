package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes a directory with all that is in it. */
final class DirectoryTree {

    private DirectoryTree() { }

    /** Deletes what can be deleted; says nothing when it is gone already. */
    static void delete(Path directory) {
        List<Path> found;
        try (Stream<Path> all = Files.walk(directory)) {
            found = all.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException e) {
            return;
        }
        for (Path path : found) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                // what cannot be deleted must not hide the run's result
            }
        }
    }
}
