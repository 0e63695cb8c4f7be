package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds by the launcher of an empty checkout, with scripts in place of Maven, the JDK and the clock. */
class LauncherBuildTest {

    private static final long LIMIT_SECONDS = 240;
    private static final String FIRST = "Building brokermeter (first use; Maven Central is needed once): ";
    private static final String NEWER = "Building brokermeter (its sources are newer than the last build): ";
    private static final String MADE = "mkdir -p dist/target/brokermeter-1/lib; : > dist/target/brokermeter-1/lib/brokermeter.jar; "
        + ": > dist/target/brokermeter-1.tar.gz";

    @TempDir
    private Path directory;

    private Path checkout;

    private record Finished(int status, String out, String err) {}

    @BeforeEach
    void layOut() throws IOException {
        checkout = Files.createDirectories(directory.resolve("checkout"));
        Files.createDirectories(checkout.resolve("dist/src"));
        Files.writeString(checkout.resolve("pom.xml"), "<project>\n  <version>1</version>\n</project>\n");
        Files.copy(Path.of(System.getProperty("brokermeter.root"), "brokermeter"), checkout.resolve("brokermeter"));
        Path jdk = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        script("jdk/bin/javac", "");
        script("jdk/bin/java", "echo \"java ran with $*\"");
        Files.createDirectory(directory.resolve("bin"));
        // Each call advances the clock by ten seconds, so that every step is printed.
        script("bin/date", "now=$(cat \"$0.now\" 2>/dev/null || echo 1000); echo $now; echo $((now + 10)) > \"$0.now\"");
    }

    private void script(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    /**
     * Writes the script for Maven.
     *
     * @param end commands after the output
     * @param lines the output
     */
    private void maven(String end, String... lines) throws IOException {
        script("bin/mvn", "cat <<'LINES'\n" + String.join("\n", lines) + "\nLINES\n" + end);
    }

    private Finished launch() throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(checkout.resolve("brokermeter").toString(), "--version")
            .redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("the launcher ends").isTrue();
        return new Finished(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /**
     * The fifth of eight modules begins 40 s after the start. The first four took 10 s each on average, so the other four are estimated to
     * take 40 s.
     */
    @Test
    void aBuildTellsItsModulesAndTheTimeLeft() throws Exception {
        maven(MADE, "[INFO] Scanning for projects...",
            "[INFO] Building brokermeter 1                                            [1/8]",
            "[INFO] --- compiler:3.14.1:compile (default-compile) @ spi ---",
            "[INFO] Building brokermeter spi 1                                        [2/8]",
            "[INFO] Building brokermeter proc 1                                       [3/8]",
            "[INFO] Building brokermeter engine 1                                     [5/8]",
            "[INFO] BUILD SUCCESS");
        Finished finished = launch();

        assertThat(finished.status()).isZero();
        assertThat(finished.out()).startsWith("java ran with ").endsWith("io.brokermeter.cli.Main --version\n");
        assertThat(finished.err().lines()).containsExactly(
            FIRST + "starting Maven, half a minute in all, longer while files are fetched ...",
            FIRST + "module 1 of 8 ...",
            FIRST + "module 2 of 8 ...",
            FIRST + "module 3 of 8, about 91 s left ...",
            FIRST + "module 5 of 8, about 41 s left ...");
        assertThat(checkout.resolve("dist/target/build.log")).content().contains("Scanning for projects", "BUILD SUCCESS");
        assertThat(checkout.resolve("dist/target/launcher.lock")).doesNotExist();
        assertThat(launch().err()).as("what a second start builds").isEmpty();
    }

    @Test
    void filesThatAreFetchedAreCountedByTens() throws Exception {
        String[] lines = new String[26];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "[INFO] Downloaded from central: https://repo.maven.apache.org/maven2/a/" + i + ".jar (2.1 kB at 71 kB/s)";
        }
        maven(MADE, lines);

        assertThat(launch().err().lines().map(line -> line.replaceFirst(".*, ", ""))).containsExactly(
            "longer while files are fetched ...", "10 files fetched ...", "20 files fetched ...");
    }

    @Test
    void aBuildThatFailsEndsWithItsCause() throws Exception {
        String cause = "[ERROR] Failed to execute goal on project brokermeter-engine: Could not resolve dependencies";
        maven("exit 1", "[INFO] Building brokermeter 1                       [1/8]", "[INFO] BUILD FAILURE", cause);
        Finished finished = launch();

        assertThat(finished.status()).isEqualTo(1);
        assertThat(finished.out()).isEmpty();
        assertThat(finished.err().lines().toList()).endsWith(
            "brokermeter: the build failed; the end of " + checkout.resolve("dist/target/build.log") + " says:", cause);
        assertThat(checkout.resolve("dist/target/launcher.lock")).doesNotExist();
    }

    @Test
    void aSourceThatIsNewerThanTheBuildIsTheReasonOfTheNext() throws Exception {
        maven(MADE, "[INFO] BUILD SUCCESS");
        launch();
        Path source = Files.createDirectories(checkout.resolve("engine/src/main")).resolve("A.java");
        Files.writeString(source, "class A {}\n");
        Files.setLastModifiedTime(checkout.resolve("dist/target/brokermeter-1.tar.gz"), FileTime.fromMillis(0));

        assertThat(launch().err()).startsWith(NEWER + "starting Maven");
    }
}
