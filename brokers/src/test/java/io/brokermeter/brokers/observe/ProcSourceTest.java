package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.spi.Setting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Samples that are taken in the middle of a reading, by what the reading itself calls. */
@EnabledOnOs(OS.LINUX)
class ProcSourceTest {

    private final List<Process> sleepers = new ArrayList<>();
    private final List<ProcSource.Taken> samples = new ArrayList<>();
    /** What happens while processes are looked for that were started anew, and when one is gone. */
    private Runnable meanwhile = () -> {};

    @BeforeEach
    void startTwo() throws Exception {
        for (int i = 0; i < 2; i++) {
            sleepers.add(new ProcessBuilder("sleep", "600").start());
        }
    }

    @AfterEach
    void end() {
        sleepers.forEach(Process::destroyForcibly);
    }

    private List<Long> pids() {
        return sleepers.stream().map(Process::pid).toList();
    }

    /** After two readings, so that there is a sample. */
    private ProcSource source() throws Exception {
        Observation what = Observation.of(null, "none", null, List.of(), Setting::key).with(() -> {
            meanwhile.run();
            return pids();
        });
        ProcSource source = new ProcSource(what, -1, at -> at, new Readings(-1), process -> {}, notice -> meanwhile.run());
        source.read();
        source.read();
        return source;
    }

    private void sample(ProcSource source) {
        ProcSource.Taken taken = source.take();
        if (taken.total() != null) {
            samples.add(taken);
        }
    }

    private void areWhole() {
        assertThat(samples).isNotEmpty().allSatisfy(sample -> {
            assertThat(sample.parts()).extracting(BrokerSample.Part::pid).containsExactlyElementsOf(pids());
            assertThat(Objects.requireNonNull(sample.total()).whole(ProcessFigure.RESIDENT_BYTES))
                .isEqualTo(sample.parts().stream().mapToLong(part -> part.usage().residentBytes()).sum());
        });
    }

    @Test
    void aSampleHasTheProcessesOfTheReadingsThatItIsOf() throws Exception {
        ProcSource source = source();
        meanwhile = () -> sample(source);
        source.read();
        sample(source);
        areWhole();
    }

    @Test
    void aProcessThatIsFoundGoneStaysInTheSampleOfWhatWasReadBefore() throws Exception {
        ProcSource source = source();
        sleepers.getLast().destroyForcibly().waitFor();
        meanwhile = () -> {
            if (samples.isEmpty()) {
                sample(source);
            }
        };
        source.read();
        areWhole();
        assertThat(source.take().parts()).as("of one alone").isEmpty();
    }

    /** A shell between the broker and the one that wrote ends with it, before the next reading. */
    @Test
    void whatAChildOfAChildWroteIsCountedOnceThoughBothEndBetweenTwoReadings() throws Exception {
        String file = Path.of("target", "written-by-a-child").toAbsolutePath().toString();
        Process broker = new ProcessBuilder("sh", "-c", "read a; sh -c 'sh -c \"head -c 8388608 /dev/zero >" + file + "; sync " + file
            + "; rm " + file + "; echo w; read b\"; true'; echo d; read c").start();
        sleepers.forEach(Process::destroyForcibly);
        sleepers.clear();
        sleepers.add(broker);
        Readings usage = new Readings(-1);
        ProcSource source =
            new ProcSource(Observation.of(null, "none", null, List.of(), Setting::key).with(this::pids), -1, at -> at, usage, _ -> {},
                _ -> {});
        source.read();
        for (String answer : List.of("w", "d")) {
            broker.getOutputStream().write('\n');
            broker.getOutputStream().flush();
            assertThat((char) broker.getInputStream().read()).hasToString(answer);
            broker.getInputStream().read();
            // Children are looked for at every fifth reading.
            for (int i = 0; i < 6; i++) {
                source.read();
            }
        }
        assertThat(Objects.requireNonNull(usage.take()).whole(ProcessFigure.DISK_WRITTEN_BYTES)).isBetween(8L << 20, 9L << 20);
    }
}
