package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command window over a real socket and a network to a broker with a window of a known size. What a near producer has sent beyond the
 * window could not be delivered within minutes, so no trial waits for it.
 */
@Order(1)
class WindowOverSocketTest {

    private static final int WINDOW = 65_536;
    private static final int ATTEMPTS = 8;
    /** The disturbance above which round trips are too unequal to tell messages from bytes. */
    private static final double BUSY = 0.1;

    @TempDir
    Path directory;

    /** The tolerance is 5 % plus the part that a busy machine takes of the window by longer round trips, which the broker measures. */
    @Test
    void theWindowOfABrokerBehindANetworkIsNamedWithin5Percent() throws Exception {
        int attempt = 1;
        while (!isNamed(attempt)) {
            attempt++;
        }
    }

    /**
     * Asserts the result of an attempt, and returns whether it counts. Whether a limit counts messages or bytes follows from rates, which a
     * busy machine distorts; a wrong result of such an attempt, or none, does not count, except for the last one.
     */
    private boolean isNamed(int attempt) throws Exception {
        Path json = directory.resolve("answer" + attempt + ".json");
        try (WindowBroker broker = new WindowBroker(WINDOW)) {
            Tool.Finished finished = new Tool(directory)
                .run("window", "--url", broker.url(), "--side", "consumer", "--rtt", "75ms,300ms", "--sizes", "100,1000", "--scale", "0.25",
                    "--set", "producers.load.rate=3000/s", "--set", "drainTimeout=1s", "--set", "connectTimeout=60s", "--out", "none",
                    "--json", json.toString(), "topic://T");
            boolean mayFail = attempt < ATTEMPTS && broker.disturbance() > BUSY;
            if (mayFail && finished.status() == 1) {
                return false;
            }
            finished.exits(0);
            Map<String, @Nullable Object> answer = WindowCommandTest.answer(json);
            if (mayFail && !"bytes".equals(answer.get("limit"))) {
                return false;
            }
            assertThat(answer).containsEntry("limit", "bytes");
            double named = ((Number) JsonText.map(answer.get("windowBytes")).get("estimate")).doubleValue();
            assertThat(Math.abs(named / WINDOW - 1)).as("%.2f instead of %d", named, WINDOW).isLessThan(0.05 + broker.disturbance());
            return true;
        }
    }
}
