package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The directory of a broker whose threads write until the process ends, when the parent is gone. */
class OrphanedDataTest {

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isDeletedThoughTheBrokerWritesToTheEnd(boolean group) throws Exception {
        Path common = temporary.resolve("cluster");
        Path data = common.resolve("broker");
        Files.createDirectory(common);
        ProcessBuilder child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Writing.class.getName(), "--data", data.toString());
        if (group) {
            child.command().addAll(List.of("--group", common.toString()));
        }
        Process process = child.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).startsWith("READY ");
            process.getOutputStream().close();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        Path gone = group ? common : data;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (Files.exists(gone)) {
            assertThat(System.nanoTime()).as("%s is gone within 60 s", gone).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** A broker that creates files, and the directories of these, as long as it runs. */
    static final class Writing implements EmbeddedBroker {

        private static final int THREADS = 3;

        private Writing() {}

        public static void main(String[] arguments) {
            HostProgram.run(new Writing(), arguments);
        }

        @Override
        public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) {
            for (int i = 0; i < THREADS; i++) {
                Path directory = data.resolve("store").resolve(Integer.toString(i));
                Thread.ofPlatform().daemon().start(() -> write(directory));
            }
            return Ports.of(1);
        }

        private static void write(Path directory) {
            for (long number = 0;; number++) {
                try {
                    Files.createDirectories(directory);
                    Files.writeString(directory.resolve(Long.toString(number % 100)), "message");
                } catch (IOException e) {
                    // it is just being deleted
                }
            }
        }

        @Override
        public void stop() {}
    }
}
