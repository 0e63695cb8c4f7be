package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.proc.ProcText;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Samples that are taken during a reading, by a callback of the reading itself. */
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class ProcSourceTest {

    private final List<Process> sleepers = new ArrayList<>();
    private final List<ProcSource.Taken> samples = new ArrayList<>();
    /** Runs while the source looks up the process ids, and when it reports that a process has ended. */
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

    /** Returns a source after two readings, which is what a sample needs. */
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

    @Test
    void aProcessThatIsFoundGoneStaysInTheDescription() throws Exception {
        ProcSource source = source();
        String both = source.description();
        assertThat(both).contains("sleep (pid " + pids().getFirst() + ")", "sleep (pid " + pids().getLast() + ")");
        for (Process sleeper : sleepers) {
            sleeper.destroyForcibly().waitFor();
            source.read();
            assertThat(source.description()).isEqualTo(both);
        }
    }

    @Test
    void theDescriptionHasTheProgramThatAProcessExecutes() throws Exception {
        sleepers.add(new ProcessBuilder("sh", "-c", "read a; exec sleep 600").start());
        long pid = pids().getLast();
        ProcSource source = source();
        assertThat(source.description()).contains("sh (pid " + pid + ")");
        sleepers.getLast().getOutputStream().close();
        while (!ProcText.stat(ProcText.read(Path.of("/proc", Long.toString(pid), "stat"))).name().equals("sleep")) {
            Thread.sleep(1);
        }
        source.read();
        assertThat(source.description()).contains("sleep (pid " + pid + ")").doesNotContain("sh (pid");
    }

    /** The shell between the broker and the writing process ends together with the latter, before the next reading. */
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
            // The source looks for children at every fifth reading.
            for (int i = 0; i < 6; i++) {
                source.read();
            }
        }
        assertThat(Objects.requireNonNull(usage.take()).whole(ProcessFigure.DISK_WRITTEN_BYTES)).isBetween(8L << 20, 9L << 20);
    }
}
