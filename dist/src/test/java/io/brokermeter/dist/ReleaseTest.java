package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Releases of a small repository, in which a script takes the place of the build and its tests. */
class ReleaseTest {

    private static final long LIMIT_SECONDS = 240;
    private static final String CHANGES = """
        # Changelog

        ## [Unreleased] 0.3.0

        - It measures.

        ### Limits

        - Not everything.

        ## [0.2.0] - 2026-01-02

        - It starts.
        """;

    @TempDir
    private Path directory;

    private Path repository;

    private record Finished(int status, String said) {}

    @BeforeEach
    void layOut() throws Exception {
        repository = Files.createDirectories(directory.resolve("repository"));
        Files.createDirectories(repository.resolve("dist"));
        Files.createDirectories(repository.resolve(".ci"));
        Files.writeString(repository.resolve("pom.xml"), "<project>\n  <version>0.3.0-SNAPSHOT</version>\n</project>\n");
        // A library of others has, by chance, the version that is released.
        Files.writeString(repository.resolve("dist/pom.xml"), "<project>\n  <parent><version>0.3.0-SNAPSHOT</version></parent>\n"
            + "  <dependency><version>0.3.0</version></dependency>\n</project>\n");
        Files.writeString(repository.resolve("CHANGELOG.md"), CHANGES);
        Files.writeString(repository.resolve(".gitignore"), "target/\n");
        Files.copy(Path.of(System.getProperty("brokermeter.root"), ".ci/release"), repository.resolve(".ci/release"));
        script("packages/build", "mkdir -p target/packages; cp \"$1\" target/packages/; cd target/packages; sha256sum -- * > SHA256SUMS");
        tests("version=$(sed -n 's|^  <version>\\(.*\\)</version>|\\1|p' pom.xml); mkdir -p dist/target; "
            + "pwd > \"dist/target/brokermeter-$version.tar.gz\"");
        git("init", "--quiet", "--initial-branch=main");
        git("config", "user.name", "somebody");
        git("config", "user.email", "somebody@example");
        commit();
    }

    private void tests(String script) throws IOException {
        script(".ci/run", script);
    }

    private void script(String name, String script) throws IOException {
        Path file = repository.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private void commit() throws Exception {
        git("add", "--all");
        git("commit", "--quiet", "--message", "Change it");
    }

    private String git(String... words) throws Exception {
        Finished finished = run(Stream.concat(Stream.of("git", "--no-pager"), Stream.of(words)).toList());
        assertThat(finished.status()).as(finished.said()).isZero();
        return finished.said();
    }

    private Finished release(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", ".ci/release"));
        command.addAll(List.of(words));
        return run(command);
    }

    private Finished run(List<String> command) throws Exception {
        Path said = directory.resolve("said");
        Process process = new ProcessBuilder(command).directory(repository.toFile()).redirectErrorStream(true)
            .redirectOutput(said.toFile()).start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("the end of " + command).isTrue();
        return new Finished(process.exitValue(), Files.readString(said));
    }

    @Test
    void theBranchTakesTheReleaseAndTheNextVersionBegins() throws Exception {
        Finished finished = release("0.3.0");

        assertThat(finished.status()).as(finished.said()).isZero();
        assertThat(git("log", "--format=%s").lines()).containsExactly("Begin version 0.4.0", "Release 0.3.0", "Change it");
        assertThat(git("show", "v0.3.0:pom.xml")).contains("<version>0.3.0</version>");
        assertThat(git("show", "v0.3.0:dist/pom.xml")).contains("<parent><version>0.3.0</version>");
        assertThat(repository.resolve("pom.xml")).content().contains("<version>0.4.0-SNAPSHOT</version>");
        assertThat(repository.resolve("dist/pom.xml")).content().contains("<parent><version>0.4.0-SNAPSHOT</version>",
            "<dependency><version>0.3.0</version>");
        assertThat(git("show", "v0.3.0:CHANGELOG.md")).containsPattern("\n\n## \\[0\\.3\\.0] - \\d{4}-\\d\\d-\\d\\d\n\n- It measures\\.\n")
            .doesNotContain("Unreleased");
        assertThat(repository.resolve("CHANGELOG.md")).content().contains("# Changelog\n\n## [Unreleased] 0.4.0\n\n## [0.3.0] - ");
        assertThat(git("tag", "--list", "--format=%(contents)")).startsWith("- It measures.\n\n### Limits\n\n- Not everything.\n");
        assertThat(git("status", "--porcelain")).isEmpty();
        assertThat(finished.said()).contains("git push origin main v0.3.0");
    }

    @Test
    void theArchiveHasACheckSumAndNotes() throws Exception {
        assertThat(release("0.3.0").status()).isZero();

        Path result = repository.resolve("target/release/0.3.0");
        assertThat(result.resolve("notes.md")).hasContent("- It measures.\n\n### Limits\n\n- Not everything.");
        byte[] archive = Files.readAllBytes(result.resolve("brokermeter-0.3.0.tar.gz"));
        String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
        assertThat(result.resolve("SHA256SUMS")).content().startsWith(sum + " ").contains("brokermeter-0.3.0.tar.gz");
        assertThat(new String(archive, StandardCharsets.UTF_8)).as("where the archive was built").doesNotStartWith(repository.toString());
    }

    @Test
    void aDryRunChangesNothingButLeavesTheFiles() throws Exception {
        String before = git("rev-parse", "HEAD");
        Finished finished = release("--dry-run", "0.3.0");

        assertThat(finished.status()).as(finished.said()).isZero();
        assertThat(finished.said()).contains("Nothing was changed here.", "Begin version 0.4.0", "Release 0.3.0");
        assertThat(git("rev-parse", "HEAD")).isEqualTo(before);
        assertThat(git("tag")).isEmpty();
        assertThat(git("status", "--porcelain")).isEmpty();
        assertThat(repository.resolve("target/release/0.3.0")).isDirectoryContaining("glob:**/brokermeter-0.3.0.tar.gz");
    }

    @Test
    void testsThatFailEndIt() throws Exception {
        tests("echo '1 passed, 1 failed, 0 skipped'; exit 1");
        commit();
        String before = git("rev-parse", "HEAD");

        assertThat(release("0.3.0").status()).isEqualTo(1);
        assertThat(git("rev-parse", "HEAD")).isEqualTo(before);
        assertThat(git("tag")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        true                                             | 0.3           | say which version, as three numbers
        true                                             | --fast 0.3.0  | there is no option --fast
        echo >> CHANGELOG.md                             | 0.3.0         | files are changed or new
        git tag v0.3.0                                   | 0.3.0         | the tag v0.3.0 is there already
        git checkout --quiet --detach                    | 0.3.0         | no branch is checked out
        sed -i 's/-SNAPSHOT//' pom.xml; git commit -qam. | 0.3.0         | pom.xml has the version 0.3.0
        sed -i '/^- It/d;/Limits/,/Not/d' CHANGELOG.md; git commit -qam. | 0.3.0 | CHANGELOG.md has nothing under the heading""")
    void whatCannotBeReleasedIsOneSentence(String before, String words, String sentence) throws Exception {
        assertThat(run(List.of("sh", "-c", before)).status()).isZero();
        Finished finished = release(words.split(" "));

        assertThat(finished.status()).isEqualTo(2);
        assertThat(finished.said()).startsWith("release: " + sentence).hasLineCount(1);
    }
}
