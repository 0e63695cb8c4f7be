package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDirectoryTest {

    @TempDir
    Path parent;

    /** Creates a directory as left by an agent that was killed. */
    private Path left(String name, boolean old, String... files) throws IOException {
        Path directory = Files.createDirectory(parent.resolve(name));
        for (String file : files) {
            Files.createFile(directory.resolve(file));
        }
        if (old) {
            Files.setLastModifiedTime(directory, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        }
        return directory;
    }

    @Test
    void whatBelongsToNoLivingProcessIsDeletedAtWhateverMomentItsProcessWasKilled() throws Exception {
        left("brokermeter-agent-whole", false, ".owner", "intervals.jsonl");
        left("brokermeter-sweep-whole", false, ".owner", "sweep.json");
        left("brokermeter-agents-whole", false, ".owner", "part.json");
        left("brokermeter-agent-beginning", true, ".owner.new");
        left("brokermeter-agent-empty", true);
        List<Path> stay = List.of(left("brokermeter-agent-new", false), left("brokermeter-agent-begins", false, ".owner.new"),
            left("brokermeter-agent-foreign", true, "notes"), left("brokermeter", true));
        Path link = Files.createSymbolicLink(parent.resolve("brokermeter-agent-link"), left("elsewhere", true));

        TemporaryDirectory.clear(parent, Files.createFile(parent.resolve("probe")));

        try (Stream<Path> all = Files.list(parent)) {
            assertThat(all.filter(Files::isDirectory)).containsExactlyInAnyOrderElementsOf(
                Stream.concat(stay.stream(), Stream.of(link, parent.resolve("elsewhere"))).toList());
        }
    }

    @Test
    void oneOfThisProcessStaysUntilItIsDeleted() throws Exception {
        TemporaryDirectory own = TemporaryDirectory.create();
        try {
            Path place = own.path();
            TemporaryDirectory.clear();
            assertThat(place.resolve(".owner")).exists();
            own.delete();
            assertThat(place).doesNotExist();
        } finally {
            own.delete();
        }
    }
}
