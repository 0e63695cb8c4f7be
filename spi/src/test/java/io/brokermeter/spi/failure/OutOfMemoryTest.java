package io.brokermeter.spi.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class OutOfMemoryTest {

    /** Wherever the error is thrown, and whoever takes it, the process ends and says what to change. */
    @ParameterizedTest
    @ValueSource(strings = {"swallowed", "uncaught", "told", "direct", "array", "thread"})
    void endsTheProcessWithASentence(String how) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx24m",
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Main.class.getName(), how)
            .redirectErrorStream(true)
            .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ended").isTrue();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said).contains("JAVA_ARGS=").contains("so this process ended");
            assertThat(process.exitValue()).isEqualTo(1);
        } finally {
            process.destroyForcibly();
        }
    }

    /** A process whose memory is used up. */
    static final class Main {

        private static final List<Object> TAKEN = new ArrayList<>();

        public static void main(String[] args) throws Exception {
            OutOfMemory.endsProcess(System.err);
            Thread.ofPlatform().start(() -> {
                switch (args[0]) {
                    case "swallowed" -> swallow(() -> new byte[10_000]);
                    case "uncaught" -> TAKEN.add(new byte[1 << 30]);
                    case "told" -> tell(() -> new long[1 << 28]);
                    case "direct" -> tell(() -> ByteBuffer.allocateDirect(1 << 20));
                    case "array" -> tell(() -> new byte[Integer.MAX_VALUE]);
                    default -> Failure.words(new IllegalStateException("cannot connect",
                        new OutOfMemoryError("unable to create native thread: possibly out of memory or process/resource limits reached")));
                }
            });
            // As it is where the thread that failed was a client library's: others wait for it.
            Thread.sleep(Long.MAX_VALUE);
        }

        private static void swallow(Supplier<Object> take) {
            while (true) {
                try {
                    TAKEN.add(take.get());
                } catch (OutOfMemoryError e) {
                    return;
                }
            }
        }

        /** Takes until there is no more, and then asks for the words of the failure, as each driver does. */
        private static void tell(Supplier<Object> take) {
            try {
                while (true) {
                    TAKEN.add(take.get());
                }
            } catch (OutOfMemoryError e) {
                Failure.words(new DriverException("The connection broke.", e));
            }
        }
    }
}
