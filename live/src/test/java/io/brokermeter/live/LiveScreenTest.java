package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.screen.ScreenStyle;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LiveScreenTest {

    private static final RunShape SHAPE =
        new RunShape("", true, true, true, Duration.ofSeconds(60), 0, 0, Double.NaN, "1 producer, queue://Q", Setting::key, false);

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);
    private final AtomicBoolean stopped = new AtomicBoolean();

    private static Distribution times(long... nanos) {
        Histogram samples = Distribution.empty();
        Arrays.stream(nanos).forEach(one -> samples.recordValueWithCount(one, 1000));
        return new Distribution(samples, 0, 0);
    }

    private static Interval second(int index) {
        return Interval.of(its -> {
            its.startEpochNanos = index * 1_000_000_000L;
            its.endEpochNanos = its.startEpochNanos + 1_000_000_000L;
            its.elapsedNanos = its.endEpochNanos;
            its.counts = Counts.NONE.with(Count.SENT, 1000).with(Count.COMPLETED, 1000).with(Count.RECEIVED, 999);
            its.measured = Map.of(Metric.RESPONSE, times(3_000_000), Metric.SEND, times(1_000_000));
        });
    }

    /** Waits until the last screen that was drawn contains a text, and returns its lines. */
    private List<String> until(String text) {
        while (true) {
            String all = written.toString(StandardCharsets.UTF_8);
            int at = all.lastIndexOf("\033[H");
            // a whole one
            if (at >= 0 && all.endsWith("\033[J") && all.substring(at).contains(text)) {
                return Arrays.stream(all.substring(at).split("\r\n")).map(line -> line.replaceAll("\033\\[[0-9;?]*[A-Za-z]", "")).toList();
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void aRunIsOneScreen() {
        AtomicReference<ScreenStyle> style = new AtomicReference<>(new ScreenStyle(80, 24, true, true));
        try (LiveScreen screen = new LiveScreen(SHAPE, style::get, out, new MadeControls(() -> true))) {
            until("The load has not begun yet.");
            screen.interval(second(0));
            screen.interval(second(1));
            List<String> lines = until("0:58 left");
            assertThat(lines).hasSize(24).allMatch(line -> line.length() < 80);
            assertThat(lines.getFirst()).isEqualTo("brokermeter  1 producer, queue://Q");
            assertThat(lines).anyMatch(line -> line.startsWith("response       3.00 ms   3.00 ms   3.00 ms       n/a   3.00 ms"))
                .anyMatch(line -> line.startsWith("send ack       1.00 ms"))
                .anyMatch(line -> line.equals("ledger      sent 2,000, confirmed 2,000, received 1,998"))
                .anyMatch(line -> line.startsWith("    rate") && line.endsWith("\u2588\u2588"));
            assertThat(written.toString(StandardCharsets.UTF_8)).startsWith("\033[?1049h\033[?25l").contains("\033[48;5;");

            style.set(new ScreenStyle(100, 30, true, true));
            screen.redraw();
            while (until("0:58 left").size() != 30) {
                Thread.onSpinWait();
            }
            style.set(new ScreenStyle(60, 24, true, true));
            screen.redraw();
            assertThat(until("The picture needs 80 x 24.")).allMatch(line -> line.length() < 60);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).as("the screen is given back").endsWith("\033[?25h\033[?1049l");
    }

    @Test
    void keysHoldThePictureChangeTheRateAndEndTheRun() {
        try (LiveScreen screen =
            new LiveScreen(SHAPE, () -> new ScreenStyle(80, 24, false, false), out, new MadeControls(() -> stopped.getAndSet(true)))) {
            screen.interval(second(0));
            assertThat(until("0:59 left").getLast()).isEqualTo("q end cleanly   space hold the picture   f kill broker for 10s");
            screen.key('f');
            until("The fault is made now instead of at its time.");
            screen.key(' ');
            until("The picture is held");
            screen.interval(second(1));
            screen.key('x');
            screen.key('q');
            assertThat(until("The load has not begun yet; Ctrl-C")).as("held").anyMatch(line -> line.contains("0:59 left"));
            screen.key(' ');
            until("0:58 left");
            screen.key('+');
            until("The rate changes by +10 % in a second.");
            screen.key('-');
            until("The load has not begun, or is over in a moment");
            screen.key('q');
            until("The run is ending cleanly.");
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).as("no colours").doesNotContain("\033[4", "\033[1m", "\033[3");
    }

    @Test
    void aHeatStripHasARowForEachTimeAndTheMostMessagesDensest() {
        HeatStrip heat = new HeatStrip();
        heat.add(null);
        assertThat(heat.lines(8, ScreenStyle.PLAIN)).as("nothing").hasSize(8).allMatch(String::isBlank);
        heat.add(times(1_000_000));
        Histogram more = times(1_000_000, 1_000_000, 1_000_000).histogram();
        more.recordValue(10_000_000);
        heat.add(new Distribution(more, 0, 0));
        List<String> lines = heat.lines(9, ScreenStyle.PLAIN);
        assertThat(lines).hasSize(9);
        assertThat(lines.getFirst()).as("10 ms").endsWith("10.0 ms " + " ".repeat(69) + ".");
        assertThat(lines.getLast()).as("1 ms").endsWith("1.00 ms " + " ".repeat(68) + "%@");
        assertThat(lines.subList(1, 8)).allMatch(line -> line.substring(9).isBlank());
        assertThat(HeatStrip.bin(1)).isZero();
        assertThat(HeatStrip.bin(999)).isZero();
        assertThat(HeatStrip.bin(1_000_000)).isEqualTo(24);
        assertThat(HeatStrip.bin(Long.MAX_VALUE)).isEqualTo(63);
    }
}
