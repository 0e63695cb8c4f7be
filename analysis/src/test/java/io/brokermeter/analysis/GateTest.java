package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import io.brokermeter.analysis.statistics.Noise;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.EnvironmentDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often {@code throughput < 0.97} fails, in seeded pairs of trials, for a true ratio. */
class GateTest {

    private static double failing(double ratio, int pairs, double spread) {
        Gate gate = Gate.parse("throughput < 0.97");
        SplittableRandom random = new SplittableRandom(97);
        int failed = 0;
        for (int i = 0; i < 500; i++) {
            Side first = side("A", 0, Noise.trials(random, pairs, 10_000, spread));
            Side second = side("B", 1, Noise.trials(random, pairs, 10_000 * ratio, spread));
            failed += gate.of(Comparison.of("", first, second, Comparison.Question.USUAL)) == Gate.Outcome.FAILED ? 1 : 0;
        }
        return failed / 500.0;
    }

    private static Side side(String letter, int offset, double[] logarithms) {
        List<MeasuredTrial> trials = new ArrayList<>();
        for (int i = 0; i < logarithms.length; i++) {
            trials.add(new MeasuredTrial(Path.of("none"), Instant.EPOCH.plusSeconds(120L * i + 60L * offset),
                StoredResult.of(Map.of("success", true, "receives", true, "sends", true,
                    "rates", Map.of("measuredReceivedPerSecond", Math.exp(logarithms[i])))),
                EnvironmentDocument.UNKNOWN));
        }
        return new Side(letter, letter, trials);
    }

    /** A loss that the limit allows fails in 3 of 100 at most, a loss beyond it in most. */
    @ParameterizedTest
    @CsvSource({"0.98, 8, 0, 0.03", "0.97, 8, 0, 0.04", "0.98, 18, 0, 0.03", "0.94, 8, 0.6, 1", "0.94, 18, 0.95, 1"})
    void aLimitIsMissedOnlyByWhatIsBeyondIt(double ratio, int pairs, double least, double most) {
        assertThat(failing(ratio, pairs, 0.02)).isBetween(least, most);
    }
}
