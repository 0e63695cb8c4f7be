package io.brokermeter.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The directories of a series of comparisons, and the duration of its runs.
 *
 * @param root directory of the project
 * @param cache directory in which other tools are kept from one series to the next
 * @param work scratch directory of this series
 * @param seconds duration of a run in seconds, warm-up included; tools that count messages get about as many as they handle in that time
 */
record BenchLayout(Path root, Path cache, Path work, int seconds) {

    /** Returns the command line of brokermeter. It writes no files of the run and queries no JVM, like the other tools. */
    List<String> brokermeter(String... arguments) {
        List<String> alike = List.of("--out", "none", "--broker-jmx", "none");
        return Stream.of(List.of(root.resolve("brokermeter").toString()), List.of(arguments), alike).flatMap(List::stream).toList();
    }

    /** Sends messages with brokermeter before a comparison, see {@link #call}. */
    void send(String... arguments) {
        call(plus(brokermeter("producer"), arguments));
    }

    /** Runs a command to its end before a run; its output is shown only if it fails. */
    void call(List<String> command) {
        Path said = work.resolve("called.txt");
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("This failed: " + command + "\n" + Files.readString(said));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a file for a tool into the scratch directory: the same text several times. Returns its path. */
    String prepared(String name, String text, int times) {
        Path file = work.resolve(name);
        try (Writer writer = Files.newBufferedWriter(file)) {
            for (int i = 0; i < times; i++) {
                writer.write(text);
            }
            return file.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command to its end, for at most ten minutes. */
    static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("This failed: " + String.join(" ", command));
        }
    }

    /** Returns the path of the java command of this JVM. */
    String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Returns a command line with more arguments. */
    static List<String> plus(List<String> command, String... more) {
        return Stream.concat(command.stream(), Stream.of(more)).toList();
    }

    /**
     * Returns the class path of another tool, which Maven fetches on first use.
     *
     * @param name name of its directory below the cache
     * @param dependency content of a {@code <dependency>} element
     */
    String jars(String name, String dependency) throws IOException, InterruptedException {
        Path directory = cache.resolve(name);
        Path lib = directory.resolve("lib");
        if (Files.notExists(directory.resolve("done"))) {
            System.err.println("Fetching " + name + " ...");
            Files.createDirectories(lib);
            Path pom = directory.resolve("pom.xml");
            Files.writeString(pom, """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>io.brokermeter.bench</groupId><artifactId>%s</artifactId><version>1</version>
                  <dependencies><dependency>%s</dependency></dependencies>
                </project>
                """.formatted(name, dependency));
            run("mvn", "-q", "-B", "-f", pom.toString(), "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
                "-DincludeScope=runtime", "-DoutputDirectory=" + lib);
            Files.writeString(directory.resolve("done"), "");
        }
        return lib + "/*";
    }
}
