package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The real program over a real socket and a network to a broker with a window of a known size. A class of its own, since it waits for
 * minutes, in which other classes run.
 */
@Order(1)
class WindowOverSocketTest {

    private static final int ATTEMPTS = 3;
    /** Round trips that took so much longer than the network asks for are no round trips of one length. */
    private static final double BUSY = 0.1;

    @TempDir
    Path directory;

    /** Within 5 %, and what a busy machine took of the window by making round trips longer, which the broker sees as well. */
    @ParameterizedTest
    @CsvSource({"messages,1,'50ms,200ms'", "messages,60,'75ms,300ms'", "bytes,65536,'75ms,300ms'"})
    void theWindowOfABrokerBehindANetworkIsNamedWithin5Percent(String unit, int window, String roundTrips) throws Exception {
        int attempt = 1;
        while (!isNamed(unit, window, roundTrips, attempt)) {
            attempt++;
        }
    }

    /**
     * Whether it was named, or can be expected to be: whether a limit counts messages or bytes shows in rates, which a machine that is too busy spoils.
     * Such an attempt does not count, but for the last.
     */
    private boolean isNamed(String unit, int window, String roundTrips, int attempt) throws Exception {
        Path json = directory.resolve("answer" + attempt + ".json");
        try (WindowBroker broker = new WindowBroker(window, unit.equals("bytes"))) {
            new Tool(directory)
                .run("window", "--url", broker.url(), "--side", "consumer", "--rtt", roundTrips, "--sizes", "100,1000", "--scale", "0.25",
                    "--set", "producers.load.rate=3000/s", "--out", "none", "--json", json.toString(), "topic://T")
                .exits(0);
            Map<String, @Nullable Object> answer = WindowTest.answer(json);
            if (attempt < ATTEMPTS && broker.disturbance() > BUSY && !unit.equals(answer.get("limit"))) {
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
