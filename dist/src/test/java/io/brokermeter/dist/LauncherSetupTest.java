package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher on a machine without what it needs: a checkout whose launcher asks for JDK 99, which no machine has, and a PATH of nothing
 * but scripts in place of a package manager.
 */
class LauncherSetupTest {

    private static final long LIMIT_SECONDS = 240;
    private static final String BOTH = "brokermeter: a JDK 99 or newer and Maven are needed and not here. ";
    private static final String APT = "apt-get update && apt-get install -y --no-install-recommends openjdk-99-jdk-headless maven";

    @TempDir
    private Path directory;

    private Path checkout;

    private record Finished(int status, String out, String err) {}

    @BeforeEach
    void layOut() throws IOException {
        checkout = Files.createDirectories(directory.resolve("checkout"));
        Files.createDirectories(checkout.resolve("dist/src"));
        Files.writeString(checkout.resolve("pom.xml"), "<project>\n  <version>1</version>\n</project>\n");
        Path launcher = Path.of(System.getProperty("brokermeter.root"), "brokermeter");
        String text = Files.readString(launcher);
        assertThat(text).contains("\nneeded=25\n");
        Files.writeString(checkout.resolve("brokermeter"), text.replace("\nneeded=25\n", "\nneeded=99\n"));
        Files.setPosixFilePermissions(checkout.resolve("brokermeter"), PosixFilePermissions.fromString("rwx------"));
        Files.createDirectory(directory.resolve("bin"));
        script("id", "echo 0");
        for (String program : List.of("sh", "cat", "mkdir", "rm", "touch", "date", "chmod", "find", "sleep")) {
            script(program, "exec " + program(program) + " \"$@\"");
        }
    }

    private static Path program(String name) {
        return Stream.of("/bin", "/usr/bin").map(place -> Path.of(place, name)).filter(Files::isExecutable).findFirst().orElseThrow();
    }

    private void script(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve("bin").resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    /** Writes a package manager that notes how it is called; its installation brings a JDK and a Maven that "build" and run. */
    private void packageManager(String name) throws IOException {
        script(name,
            """
                echo "$*" >> '%1$s/calls'
                echo "the package manager's own words"
                case $* in *install*) ;; *) exit 0 ;; esac
                mkdir -p '%1$s/jdk/bin'
                echo 'JAVA_VERSION="99"' > '%1$s/jdk/release'
                printf '#!/bin/sh\\necho "java ran"\\n' > '%1$s/jdk/bin/java'
                printf '#!/bin/sh\\nmkdir -p dist/target/brokermeter-1/lib\\n: > dist/target/brokermeter-1/lib/brokermeter.jar\\n' > '%1$s/bin/mvn'
                echo ': > dist/target/brokermeter-1.tar.gz' >> '%1$s/bin/mvn'
                cat '%1$s/jdk/bin/java' > '%1$s/jdk/bin/javac'
                chmod +x '%1$s/jdk/bin/java' '%1$s/jdk/bin/javac' '%1$s/bin/mvn'
                """
                .formatted(directory));
    }

    private Finished launch(Map<String, String> variables) throws Exception {
        return finish(List.of(checkout.resolve("brokermeter").toString(), "--version"), variables, "");
    }

    private Finished finish(List<String> command, Map<String, String> variables, String input) throws Exception {
        Path in = Files.writeString(directory.resolve("in"), input);
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
            .redirectInput(in.toFile()).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", directory.resolve("bin").toString(), "HOME", directory.toString(),
            "JAVA_HOME", directory.resolve("jdk").toString()));
        builder.environment().putAll(variables);
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("the launcher ends").isTrue();
        return new Finished(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private List<String> calls() throws IOException {
        Path calls = directory.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ':', textBlock = """
        apt-get : 0    : apt-get update && apt-get install -y --no-install-recommends openjdk-99-jdk-headless maven
        apt-get : 1000 : sudo apt-get update && sudo apt-get install -y --no-install-recommends openjdk-99-jdk-headless maven
        dnf     : 0    : dnf install -y java-99-openjdk-devel maven
        apk     : 1000 : sudo apk add openjdk99-jdk maven
        brew    : 1000 : brew install openjdk@99 maven""")
    void namesTheCommandOfThisSystem(String manager, String user, String command) throws Exception {
        packageManager(manager);
        script("id", "echo " + user);
        Finished finished = launch(Map.of());

        assertThat(finished).isEqualTo(new Finished(2, "",
            BOTH + "This brings it, and BROKERMETER_SETUP=yes lets brokermeter run it: " + command + "\n"));
        assertThat(calls()).as("calls without a yes").isEmpty();
    }

    @Test
    void saysWhatIsNeededWhereItKnowsNoCommand() throws Exception {
        assertThat(launch(Map.of("BROKERMETER_SETUP", "yes"))).isEqualTo(new Finished(2, "",
            "brokermeter: a JDK 99 or newer and Maven are needed and not here: install it; JAVA_HOME may name a JDK.\n"));
    }

    @Test
    void asksForNoMavenThatIsHere() throws Exception {
        packageManager("apt-get");
        script("mvn", "exit 1");

        assertThat(launch(Map.of()).err()).startsWith("brokermeter: a JDK 99 or newer is needed and not here.")
            .endsWith(" openjdk-99-jdk-headless\n");
    }

    @Test
    void takesTheJdkThatTheSourcesOfThisSystemOffer() throws Exception {
        packageManager("apt-get");
        script("apt-cache", "[ \"$*\" = 'show temurin-99-jdk' ]");

        assertThat(launch(Map.of()).err()).endsWith(" temurin-99-jdk maven\n");
    }

    @Test
    void runsItWithoutAQuestionWhenToldTo() throws Exception {
        packageManager("apt-get");
        Finished finished = launch(Map.of("BROKERMETER_SETUP", "yes"));

        assertThat(finished.status()).as(finished.err()).isZero();
        assertThat(finished.out()).isEqualTo("java ran\n");
        assertThat(finished.err()).startsWith("brokermeter: " + APT + "\nthe package manager's own words\n");
        assertThat(calls()).containsExactly("update", "install -y --no-install-recommends openjdk-99-jdk-headless maven");
        assertThat(launch(Map.of()).out()).as("a second start").isEqualTo("java ran\n");
        assertThat(calls()).as("what a second start installs").hasSize(2);
    }

    /** What {@code .ci/run} calls. */
    @Test
    void tellsWhereTheJdkIsWithoutABuild() throws Exception {
        packageManager("apt-get");
        Finished finished = launch(Map.of("BROKERMETER_SETUP", "only"));

        assertThat(finished.status()).isZero();
        assertThat(finished.out()).isEqualTo(directory.resolve("jdk") + "\n");
        assertThat(checkout.resolve("dist/target")).doesNotExist();
    }

    @Test
    void saysWhereElseAJdkIsWhenTheCommandFails() throws Exception {
        script("apt-get", "echo 'E: Unable to locate package'; exit 100");
        Finished finished = launch(Map.of("BROKERMETER_SETUP", "yes"));

        assertThat(finished.status()).isEqualTo(2);
        assertThat(finished.out()).isEmpty();
        assertThat(finished.err().lines()).containsExactly("brokermeter: " + APT, "E: Unable to locate package",
            "brokermeter: that command failed, and a JDK 99 or newer and Maven are needed. Where this system has no such package, get a JDK"
                + " from https://adoptium.net and set JAVA_HOME to it.");
    }

    private Finished onATerminal(String answer) throws Exception {
        packageManager("apt-get");
        return finish(List.of(program("script").toString(), "--quiet", "--flush", "--return", "--command",
            "'" + checkout.resolve("brokermeter") + "' --version", "/dev/null"), Map.of("SHELL", "/bin/sh"), answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"y\n", "Yes\n"})
    void asksOnceOnATerminal(String answer) throws Exception {
        Finished finished = onATerminal(answer);

        assertThat(finished.status()).as(finished.out()).isZero();
        assertThat(finished.out().replace("\r", "")).contains(BOTH + "This brings it:\n\n    " + APT + "\n\nRun it now? [y/N] ",
            "java ran");
        assertThat(calls()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "n\n", "yesterday\n"})
    void runsNothingWithoutAYes(String answer) throws Exception {
        assertThat(onATerminal(answer).status()).isEqualTo(2);
        assertThat(calls()).isEmpty();
    }
}
