package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The command window over a real socket and a network to a broker with a window of a known size. What a near producer has sent beyond the
 * window could not be delivered within minutes, so no trial waits for it.
 */
@Order(1)
class WindowOverSocketTest {

    private static final int ATTEMPTS = 8;
    /** The disturbance above which round trips are too unequal to tell messages from bytes. */
    private static final double BUSY = 0.1;

    @TempDir
    Path directory;

    /** The tolerance is 5 % plus the part that a busy machine takes of the window by longer round trips, which the broker measures. */
    @ParameterizedTest
    @CsvSource({"messages,60,'75ms,300ms'", "bytes,65536,'75ms,300ms'"})
    void theWindowOfABrokerBehindANetworkIsNamedWithin5Percent(String unit, int window, String roundTrips) throws Exception {
        int attempt = 1;
        while (!isNamed(unit, window, roundTrips, attempt)) {
            attempt++;
        }
    }

    /**
     * Asserts the result of an attempt, and returns whether it counts. Whether a limit counts messages or bytes follows from rates, which a
     * busy machine distorts; a wrong result of such an attempt, or none, does not count, except for the last one.
     */
    private boolean isNamed(String unit, int window, String roundTrips, int attempt) throws Exception {
        Path json = directory.resolve("answer" + attempt + ".json");
        try (WindowBroker broker = new WindowBroker(window, unit.equals("bytes"))) {
            Tool.Finished finished = new Tool(directory)
                .run("window", "--url", broker.url(), "--side", "consumer", "--rtt", roundTrips, "--sizes", "100,1000", "--scale", "0.25",
                    "--set", "producers.load.rate=3000/s", "--set", "drainTimeout=1s", "--set", "connectTimeout=60s", "--out", "none",
                    "--json", json.toString(), "topic://T");
            boolean mayFail = attempt < ATTEMPTS && broker.disturbance() > BUSY;
            if (mayFail && finished.status() == 1) {
                return false;
            }
            finished.exits(0);
            Map<String, @Nullable Object> answer = WindowCommandTest.answer(json);
            if (mayFail && !unit.equals(answer.get("limit"))) {
                return false;
            }
            assertThat(answer).containsEntry("limit", unit);
            double named =
                ((Number) JsonText.map(answer.get(unit.equals("bytes") ? "windowBytes" : "windowMessages")).get("estimate")).doubleValue();
            assertThat(Math.abs(named / window - 1)).as("%.2f instead of %d", named, window).isLessThan(0.05 + broker.disturbance());
            return true;
        }
    }
}
