package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers by {@code src/test/scipy/known_answers.py}, a second writing of the likelihood and of a search for its maximum. */
class WindowModelTest {

    private static final double MOST = Double.POSITIVE_INFINITY;

    /** Rates of a window of 59 messages. */
    private static final List<RateOverDistance> RATES = List.of(new RateOverDistance(0, 256, 20_000, MOST, 3),
        new RateOverDistance(0.01, 256, 5_700, MOST, 3), new RateOverDistance(0.03, 2_048, 1_930, MOST, 3),
        new RateOverDistance(0.1, 2_048, 590, MOST, 3), new RateOverDistance(0.1, 16_384, 575, MOST, 3));

    /** Points above and below each rate, in which each of the times is the longest, and each penalty counts. */
    @ParameterizedTest
    @CsvSource({
        "NOTHING, -2.9957 -9.2103 -16.1181, 26.302051935",
        "NOTHING, -2.9957 -3.912 -16.1181, 54.468038900",
        "MESSAGES, -2.9957 -9.2103 -16.1181 -7.6009 2.3026, 8.121229226",
        "EITHER, -2.9957 -9.2103 -16.1181 -7.6009 2.3026, 8.121229226",
        "MESSAGES, -2.9957 -9.2103 -16.1181 -1.204 2.3026, 85.819271176",
        "BYTES, -1.6094 -9.2103 -16.1181 -6.2146 9.9035 5.2983, 29.661469266",
        "BYTES, -1.6094 -9.2103 -16.1181 -6.2146 10.8198 8.5172, 48.379499785",
        "BOTH, -2.3026 -9.2103 -16.1181 -6.2146 2.3026 10.5966 5.2983, 25.320994461",
        "BOTH, -2.3026 -9.2103 -16.1181 -6.2146 1.7918 13.8155 2.9957, 39.167592567",
        "NOTHING, -43 -9.2103 -41, 34.995255377",
        "BOTH, -2.3026 -9.2103 -16.1181 -6.2146 42 41 5.2983, 27.464240582"})
    void theCostIsThatOfTheLikelihoodAndOfWhatIsUsual(WindowFit.Limit limit, String at, double cost) {
        WindowModel model = new WindowModel(limit, List.of(new RateOverDistance(0, 256, 9_000, MOST, 3),
            new RateOverDistance(0.01, 2_048, 900, 1_000, 2, 0.1), new RateOverDistance(0.1, 2_048, 80, MOST, 1),
            new RateOverDistance(0.1, 16_384, 30, MOST, 3, 0.3)));
        double[] parameters = Arrays.stream(at.split(" ")).mapToDouble(Double::parseDouble).toArray();
        assertThat(model.parameters()).isEqualTo(parameters.length);
        assertThat(model.cost(parameters)).isCloseTo(cost, within(1e-8));
    }

    @ParameterizedTest
    @CsvSource({"NOTHING, -0.551131", "MESSAGES, -21.304115", "BYTES, -1.234703", "BOTH, -21.304115"})
    void theLikeliestParametersAreFound(WindowFit.Limit limit, double cost) {
        assertThat(new WindowModel(limit, RATES).fit().value()).isCloseTo(cost, within(1e-5));
    }

    @Test
    void anIntervalEndsWhereTheWindowIsTooUnlikely() {
        WindowModel model = new WindowModel(WindowFit.Limit.MESSAGES, RATES);
        Simplex.Minimum best = model.fit();
        assertThat(model.profile(best, WindowModel.MESSAGES, Math.log(50))).isCloseTo(16.094309, within(1e-4));
        assertThat(model.profile(best, WindowModel.MESSAGES, Math.log(70))).isCloseTo(-12.536058, within(1e-4));
        ConfidenceInterval found = model.interval(best, WindowModel.MESSAGES);
        assertThat(found.estimate()).isCloseTo(58.95616, withinPercentage(0.01));
        assertThat(found.low()).isCloseTo(57.27286, withinPercentage(0.1));
        assertThat(found.high()).isCloseTo(62.04643, withinPercentage(0.1));
        assertThat(found.confidence()).isEqualTo(0.95);
    }

    /** A window of 65,536 bytes, of which a message takes 180 beside its body: the overhead stands behind the window. */
    @Test
    void theOtherParametersKeepTheirPlaces() {
        WindowModel model = new WindowModel(WindowFit.Limit.BYTES, List.of(new RateOverDistance(0, 256, 21_000, MOST, 3),
            new RateOverDistance(0.01, 256, 14_590, MOST, 3), new RateOverDistance(0.1, 256, 1_499, MOST, 3),
            new RateOverDistance(0.01, 2_048, 2_856, MOST, 3), new RateOverDistance(0.1, 2_048, 293, MOST, 3)));
        Simplex.Minimum best = model.fit();
        int window = model.bytesAt();
        assertThat(Math.exp(best.at()[window])).isCloseTo(65_536, withinPercentage(2));
        assertThat(model.profile(best, window, best.at()[window])).isCloseTo(best.value(), within(0.01));
    }

    /** A message in 50 microseconds and a byte in 0.106 at best; 590/s and 575 times 16,384 bytes over 100 ms. */
    @Test
    void theSearchBeginsAtTheWindowThatTheLongestDistanceShows() {
        List<double[]> starts = new WindowModel(WindowFit.Limit.BOTH, RATES).starts();
        assertThat(starts).hasSize(12);
        double[] known = {0.03, 45e-6, 2.4414e-9, 0.1e-3, 59.059, 943_022, 300};
        for (int i = 0; i < known.length; i++) {
            assertThat(Math.exp(starts.getFirst()[i])).isCloseTo(known[i], withinPercentage(0.1));
        }
        assertThat(Math.exp(starts.getLast()[WindowModel.SERVICE])).isCloseTo(5e-6, withinPercentage(0.1));
        assertThat(Math.exp(starts.getLast()[WindowModel.SERVICE + 1])).isCloseTo(0.10615e-6, withinPercentage(0.1));
        assertThat(Math.exp(starts.getLast()[WindowModel.EXTRA])).isCloseTo(0.01, withinPercentage(0.1));
        assertThat(Math.exp(starts.getLast()[WindowModel.MESSAGES + 1])).isCloseTo(1.1 * 1_036_288, withinPercentage(0.1));
        assertThat(Math.exp(starts.getLast()[WindowModel.MESSAGES + 2])).isCloseTo(20, withinPercentage(0.1));
    }

    /** What messages take of no window in bytes beside their bodies: nothing shows it. */
    @Test
    void anEndThatNothingShowsIsFarAway() {
        WindowModel model = new WindowModel(WindowFit.Limit.BYTES, RATES);
        ConfidenceInterval found = model.interval(model.fit(), model.bytesAt());
        assertThat(found.high() / found.estimate()).isCloseTo(Math.exp(5.12), withinPercentage(1e-6));
    }

    /** From tables of Student's t distribution: 97.5 % at 3, 30, 31 and 100 degrees of freedom. */
    @ParameterizedTest
    @CsvSource({"3, 3.182", "30, 2.042", "31, 2.040", "100, 1.984"})
    void theQuantileIsStudents(int free, double quantile) {
        assertThat(WindowModel.student(free)).isCloseTo(quantile, within(0.0011));
    }
}
