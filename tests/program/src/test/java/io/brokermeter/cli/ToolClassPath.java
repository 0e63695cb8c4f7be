package io.brokermeter.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path of the program in tests, and the AOT cache that makes its starts cheap, like that of the launcher: several hundred
 * processes are started, and without it half of their CPU time is spent on loading the same classes. A cache does not support directories,
 * so the classes of a build that has no jars yet are packed first.
 */
final class ToolClassPath {

    /**
     * The options with which the cache is written and read; it is bound to the collector and the class path. A process that lives for a
     * second compiles less, and verifies no classes: picocli's are too old for a cache. Both take an eighth off the CPU time of a run.
     */
    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
        "-XX:CompileThresholdScaling=4", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
        "-Djdk.reflect.useNativeAccessorOnly=true", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    /**
     * The longest duration of the training run in seconds. A machine with a load of 20 needs minutes for what otherwise takes some seconds,
     * and without the cache every later start takes longer.
     */
    private static final long LIMIT_SECONDS = 300;
    /** The instance, created once in each JVM of tests. */
    private static final ToolClassPath TOOL = make();

    private final String classPath;
    private final Path cache;

    private ToolClassPath(String classPath, Path cache) {
        this.classPath = classPath;
        this.cache = cache;
    }

    /**
     * Returns the java executable, its options and the class path, in this order.
     *
     * @param more entries that follow the class path of the program
     */
    static List<String> java(Path... more) {
        return TOOL.command(Files.exists(TOOL.cache)
            ? List.of("-XX:AOTCache=" + TOOL.cache, "-Xlog:disable", "-XX:ArchiveRelocationMode=0")
            : List.of(), more);
    }

    /** Returns the system properties for the location of brokers and the options of their JVMs. */
    static List<String> brokers() {
        return Stream.of("", ".jvm", ".archives").map(name -> "brokermeter.brokers" + name)
            .map(name -> "-D" + name + "=" + System.getProperty(name, "")).toList();
    }

    private List<String> command(List<String> options, Path... behind) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.addAll(options);
        command.addAll(List.of("-cp", Stream.concat(Stream.of(classPath), Stream.of(behind).map(Path::toString))
            .collect(Collectors.joining(File.pathSeparator))));
        return command;
    }

    private static ToolClassPath make() {
        try {
            Path directory = Files.createDirectories(Path.of("target", "tool").toAbsolutePath());
            List<String> entries = new ArrayList<>();
            for (String entry : System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator)) {
                Path path = Path.of(entry);
                if (!Files.isDirectory(path)) {
                    entries.add(entry);
                } else if (!path.endsWith("test-classes")) {
                    entries.add(packed(path, directory.resolve(entries.size() + ".jar")).toString());
                }
            }
            ToolClassPath tool = new ToolClassPath(String.join(File.pathSeparator, entries), directory.resolve("tool.aot"));
            tool.train(directory);
            return tool;
        } catch (IOException e) {
            throw new IllegalStateException("The class path of the program cannot be made.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Making the class path of the program was interrupted.", e);
        }
    }

    private static Path packed(Path classes, Path jar) {
        int status = ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "--create", "--file", jar.toString(),
            "-C", classes.toString(), ".");
        if (status != 0) {
            throw new IllegalStateException(classes + " cannot be packed.");
        }
        return jar;
    }

    /** Writes the cache in a short run against a throwaway Artemis, which loads the classes that most commands and their workers need. */
    private void train(Path directory) throws IOException, InterruptedException {
        Files.deleteIfExists(cache);
        List<String> command = command(List.of("-XX:AOTCacheOutput=" + cache));
        command.addAll(brokers());
        command.addAll(List.of("io.brokermeter.cli.Main", "client", "--broker", "artemis", "--rate", "100", "--warmup", "0", "--duration",
            "1", "--out", directory.resolve("out").toString()));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(directory.resolve("training.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
        builder.environment().put("XDG_STATE_HOME", directory.toString());
        Process process = builder.start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
