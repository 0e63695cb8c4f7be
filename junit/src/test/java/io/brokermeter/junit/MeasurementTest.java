package io.brokermeter.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** Runs against a broker in memory, by the extension as others use it. */
@ExtendWith(BrokermeterExtension.class)
class MeasurementTest {

    @TempDir
    private Path directory;

    private Path scenario;

    @BeforeEach
    void write() throws Exception {
        scenario = Files.writeString(directory.resolve("ci.yaml"), "name: ci\nurl: loopback://nowhere\ndestinations: [queue://CI]\n"
            + "load: {messages: 50}\ndrainTimeout: 500ms\nproducers: {maxPending: 10}\nconsumers: {}\n");
    }

    @Test
    void whatKeepsItsLimitsPassesAndLeavesItsFiles(Measurement measurement) throws Exception {
        Path files = measurement.of("loopback://fine").keeps(scenario, "lost == 0");
        try (var all = Files.walk(files)) {
            assertThat(all.map(file -> String.valueOf(file.getFileName()))).contains("result.json");
        }
        assertThat(measurement.keeps(scenario, "received == 50")).isNotEqualTo(files);
    }

    @Test
    void aMissedLimitFailsTheTestWithItsFigure(Measurement measurement) {
        assertThatThrownBy(() -> measurement.of("loopback://fine").keeps(scenario, "received >= 51"))
            .isInstanceOf(AssertionFailedError.class)
            .hasMessageContainingAll("A limit was missed.", "received >= 51", "50");
    }

    @Test
    void aLossFailsTheTest(Measurement measurement) {
        assertThatThrownBy(() -> measurement.of("loopback://lossy?lose-every=10").keeps(scenario)).isInstanceOf(AssertionFailedError.class)
            .hasMessageContaining("lost");
    }

    @Test
    void aWrongLimitIsNamed(Measurement measurement) {
        assertThatThrownBy(() -> measurement.keeps(scenario, "speed > 3")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("speed");
        assertThatThrownBy(() -> measurement.keeps(directory.resolve("absent.yaml"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("absent.yaml");
    }
}
