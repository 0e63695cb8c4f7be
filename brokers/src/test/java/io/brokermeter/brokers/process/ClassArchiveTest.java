package io.brokermeter.brokers.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {

    private static final String WRITES = "-XX:ArchiveClassesAtExit=";
    private static final String READS = "-XX:SharedArchiveFile=";

    @TempDir
    private Path temporary;

    private Path archives;
    private Path jar;

    @BeforeEach
    void make() throws IOException {
        archives = temporary.resolve("archives");
        jar = Files.writeString(temporary.resolve("host.jar"), "one");
    }

    private ClassArchive start() throws IOException {
        return ClassArchive.of(archives, "Main", List.of(jar), true);
    }

    private static Path file(ClassArchive archive, String option) {
        String last = archive.options().getLast();
        assertThat(last).startsWith(option);
        return Path.of(last.substring(option.length()));
    }

    private List<Path> written() throws IOException {
        try (Stream<Path> files = Files.list(archives)) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }

    /** A JVM that was started only once is not worth an archive. */
    @Test
    void theFirstThatEndsInOrderAfterASecondStartIsTheArchive() throws Exception {
        ClassArchive first = start();
        assertThat(first.isWanted()).isFalse();
        ClassArchive second = start();
        ClassArchive third = start();
        assertThat(file(second, WRITES)).isNotEqualTo(file(third, WRITES));
        assertThat(first.isWanted()).isTrue();
        assertThat(second.isWanted()).as("while another one writes").isFalse();
        Files.writeString(file(first, WRITES), "classes");
        first.ended(true);
        assertThat(file(start(), READS)).hasContent("classes");
        assertThat(second.isWanted()).isFalse();
        assertThat(start().isWanted()).isFalse();
    }

    @Test
    void oneThatWasRefusedOrKilledLeavesNothing() throws Exception {
        start().ended(false);
        ClassArchive refused = start();
        Files.writeString(file(refused, WRITES), "hardly any");
        assertThat(refused.isWanted()).isTrue();
        refused.ended(false);
        assertThat(written()).isEmpty();
        ClassArchive next = start();
        assertThat(next.isWanted()).isTrue();
        next.ended(true);
        assertThat(written()).isEmpty();
        file(start(), WRITES);
    }

    @Test
    void oneThatLoadsLessThanOthersWritesNone() throws Exception {
        start();
        ClassArchive less = ClassArchive.of(archives, "Main", List.of(jar), false);
        assertThat(less.options()).isEmpty();
        assertThat(less.isWanted()).isFalse();
        ClassArchive whole = start();
        Files.writeString(file(whole, WRITES), "classes");
        whole.ended(true);
        assertThat(file(ClassArchive.of(archives, "Main", List.of(jar), false), READS)).hasContent("classes");
    }

    @Test
    void oneThatComesTooLateGoes() throws Exception {
        ClassArchive first = start();
        ClassArchive second = start();
        Files.writeString(file(first, WRITES), "first");
        Files.writeString(file(second, WRITES), "second");
        first.ended(true);
        second.ended(true);
        assertThat(written()).singleElement().satisfies(archive -> assertThat(archive).hasContent("first"));
    }

    @Test
    void otherJarsHaveAnotherOne() throws Exception {
        ClassArchive first = start();
        Files.writeString(file(first, WRITES), "first");
        first.ended(true);
        Path before = file(start(), READS);
        Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
        ClassArchive changed = start();
        Files.writeString(file(changed, WRITES), "changed");
        changed.ended(true);
        assertThat(file(start(), READS)).hasContent("changed");
        assertThat(before).doesNotExist();
    }
}
