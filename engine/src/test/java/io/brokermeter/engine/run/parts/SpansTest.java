package io.brokermeter.engine.run.parts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers of every span of time, in milliseconds from a start that is not 0. */
public class SpansTest {

    private static final long START = 1_700_000_000_000_000_000L;

    private static long at(long millis) {
        return START + millis * 1_000_000;
    }

    private static Spans spans(long warmup, boolean sends, long sendingEnd, long opened, long first, long last) {
        return new Spans(START, warmup * 1_000_000, sends, at(sendingEnd), at(opened),
            new ShareResult.Extent(first < 0 ? 0 : at(first), last < 0 ? 0 : at(last)));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        # case,                           warm, sends, end,  open, first, last, sending, measured, receiving, all received
        both halves,                      1000, true,  5000, -90,  1,     4990, 5,       4,        4,         4.989
        a backlog drained for two s,      1000, true,  5000, -90,  1,     7000, 5,       4,        6,         6.999
        sent only,                        0,    true,  5000, -90,  -1,    -1,   5,       5,        5,         0
        consumers after the producers,    0,    true,  5000, 5510, 5500,  7500, 5,       5,        2,         2
        the same and later deliveries,    0,    true,  5000, 5300, 5500,  7500, 5,       5,        2.2,       2
        the same with a warm-up,          1000, true,  5000, 400,  500,   7500, 5,       4,        6.5,       7
        received only for a while,        0,    false, 8000, 1200, 1000,  3000, 8,       2,        2,         2
        received only what came later,    0,    false, 8000, 500,  1000,  3000, 8,       2.5,      2.5,       2
        received only after a warm-up,    1000, false, 8000, 20,   10,    3000, 8,       2,        2,         2.99
        received only and nothing came,   0,    false, 8000, 500,  -1,    -1,   8,       7.5,      7.5,       0
        stopped in the warm-up,           1000, true,  400,  -90,  1,     399,  0.4,     0,        0,         0.398
        one delivery,                     0,    true,  5000, -90,  100,   100,  5,       5,        5,         0
        """)
    void ratesAreTakenOverTheirOwnStretch(String name, long warmup, boolean sends, long end, long open, long first, long last,
            double sending, double measured, double receiving, double all) {
        Spans spans = spans(warmup, sends, end, open, first, last);
        assertThat(spans.sending()).as(name).isEqualTo(sending);
        assertThat(spans.measuredSending()).as(name).isEqualTo(measured);
        assertThat(spans.measuredReceiving()).as(name).isEqualTo(receiving);
        assertThat(spans.receiving()).as(name).isEqualTo(all);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        # case,                    sending ends, begin, end,  last,  seconds
        one of several,            9000,         1000,  4000, false, 3
        cut short,                 2500,         1000,  4000, false, 1.5
        never reached,             900,          1000,  4000, false, 0
        the last,                  9000,         6000,  9000, true,  3
        the last with late sends,  9300,         6000,  9000, true,  3.3
        the last cut short,        7000,         6000,  9000, true,  1
        """)
    void aPhaseLastsAsLongAsItDid(String name, long sendingEnd, long begin, long end, boolean last, double seconds) {
        assertThat(spans(0, true, sendingEnd, -90, -1, -1).phase(at(begin), at(end), last)).as(name).isEqualTo(seconds);
    }

    /** A phase receives in the time in which deliveries are counted for it, which may be in the drain. */
    @ParameterizedTest
    @CsvSource(textBlock = """
        # case,                           sending ends, last delivery, begin, end,  last,  seconds
        one of several,                   9000,         9400,          1000,  4000, false, 3
        cut short,                        2500,         2400,          1000,  4000, false, 1.5
        cut short and drained,            2500,         3200,          1000,  4000, false, 2.2
        cut short and drained for longer, 2500,         4500,          1000,  4000, false, 3
        reached in that drain,            2500,         4500,          4000,  9000, false, 0.5
        nothing received,                 2500,         -1,            1000,  4000, false, 1.5
        never reached,                    900,          950,           1000,  4000, false, 0
        the last,                         9000,         8990,          6000,  9000, true,  3
        the last drained,                 9000,         9700,          6000,  9000, true,  3.7
        the last cut short and drained,   7000,         7300,          6000,  9000, true,  1.3
        the last never reached,           900,          950,           6000,  9000, true,  0
        """)
    void aPhaseReceivesAsLongAsWhatItCounts(String name, long sendingEnd, long lastDelivery, long begin, long end, boolean last,
            double seconds) {
        assertThat(spans(0, true, sendingEnd, -90, lastDelivery < 0 ? -1 : 1, lastDelivery).phaseReceiving(at(begin), at(end), last))
            .as(name).isEqualTo(seconds);
    }

    @Test
    void aGroupBeginsAfterItsDelay() {
        assertThat(Spans.group(START, 2_000_000_000L, at(9000))).isEqualTo(7);
        assertThat(Spans.group(START, 2_000_000_000L, at(1000))).isZero();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        # ended, next
        0,       1000
        1000,    2000
        1003,    2000
        1603,    2000
        1899,    2000
        1901,    3000
        1999,    3000
        3500,    4000
        """)
    void intervalsStayOnTheirGrid(long ended, long next) {
        assertThat(Spans.nextInterval(START, 1_000_000_000L, at(ended))).isEqualTo(at(next));
    }
}
