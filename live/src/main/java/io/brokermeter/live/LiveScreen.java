package io.brokermeter.live;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.screen.ScreenStyle;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Shows a run on the whole screen of a terminal while it goes on: a heat map over time, rates, percentiles, the broker and the counts so
 * far. Drawn by a thread of its own, so that a terminal that takes its time does not hold up the run. The screen is that of before when
 * this is closed.
 */
public final class LiveScreen implements RunObserver {

    /** The least size, in columns and lines. */
    public static final int WIDTH = 80;
    public static final int HEIGHT = 24;
    private static final String BEGIN = "\033[?1049h\033[?25l";
    private static final String END = "\033[0m\033[?25h\033[?1049l";
    /** Lines that are not of the heat map. */
    private static final int OTHERS = 14;
    private static final int MOST = 500;
    private static final String BARS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
    private static final String LETTERS = " .:-=+*#@";
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private final RunShape shape;
    private final Supplier<ScreenStyle> style;
    private final PrintStream out;
    private final RunControls controls;
    private final LiveSentence sentence;
    private final Thread drawer;
    private final HeatStrip heat = new HeatStrip();
    private final Deque<Double> rates = new ArrayDeque<>();
    private final Map<Metric, Histogram> times = new EnumMap<>(Metric.class);
    private Counts counts = Counts.NONE;
    private BrokerSample broker = BrokerSample.UNKNOWN;
    private String now;
    private String last = "";
    private String said = "";
    private Metric main = Metric.RESPONSE;
    /** The fault that was shown as the next one. */
    private FaultPlayer.@Nullable Next fault;
    private boolean paused;
    private boolean changed = true;
    private boolean closed;

    /**
     * Takes the screen.
     *
     * @param style returns the present properties of the screen
     */
    public LiveScreen(RunShape shape, Supplier<ScreenStyle> style, PrintStream out, RunControls controls) {
        this.shape = shape;
        this.style = style;
        this.out = out;
        this.controls = controls;
        this.sentence = new LiveSentence(shape);
        this.now = sentence.before();
        drawer = Thread.ofPlatform().daemon().name("brokermeter-live-screen").start(this::draw);
    }

    @Override
    public synchronized void interval(Interval i) {
        now = sentence.after(i);
        counts = counts.plus(i.counts());
        broker = i.broker() == null ? broker : i.broker();
        Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
        i.measured().forEach((metric, one) -> times.computeIfAbsent(metric, _ -> Distribution.empty()).add(one.histogram()));
        main = Metric.MAIN.stream().filter(metric -> samples.containsKey(metric) && samples.get(metric).count() > 0).findFirst()
            .orElse(main);
        heat.add(samples.get(main));
        rates.addLast(i.seconds() > 0 ? (shape.sends() ? i.sent() : i.received()) / i.seconds() : 0);
        if (rates.size() > MOST) {
            rates.removeFirst();
        }
        redraw();
    }

    @Override
    public synchronized void event(Event event) {
        sentence.event(event);
        if (event.kind() != Event.Kind.UNSEEN) {
            last = String.format(Locale.ROOT, "%s (%.1f s): %s", event.kind().name().toLowerCase(Locale.ROOT), event.elapsedNanos() / 1e9,
                shape.sentences().of(event.what())).replaceAll("\\s+", " ");
            redraw();
        }
    }

    /** Draws the screen again, since its size has changed. */
    public synchronized void redraw() {
        changed = true;
        notifyAll();
    }

    /**
     * Does what a key is for: q ends the run cleanly, a space holds the picture or lets it go on, + and - change the rate, f plays the
     * fault that is shown. Others do nothing.
     */
    public synchronized void key(int key) {
        if (key == 'q') {
            said = LiveSentence.ending(controls.end());
        } else if (key == ' ') {
            paused = !paused;
            said = paused ? "The picture is held; the run goes on." : "";
        } else if (key == '+' || key == '-') {
            int percent = key == '+' ? LiveSentence.RATE_STEP : -LiveSentence.RATE_STEP;
            said = LiveSentence.rate(controls.rate(percent), percent);
        } else if (key == 'f' && fault != null) {
            said = LiveSentence.fault(controls.fault(fault.number()));
        } else {
            return;
        }
        redraw();
    }

    /** Gives the screen back. May be called by any thread, and again. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            // A terminal that takes nothing must not hold up the end.
            drawer.join(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void draw() {
        out.print(BEGIN);
        try {
            String held = "";
            while (true) {
                String screen;
                synchronized (this) {
                    while (!closed && !changed) {
                        wait();
                    }
                    if (closed) {
                        return;
                    }
                    changed = false;
                    ScreenStyle size = style.get();
                    String body = paused && !held.isEmpty() ? held : String.join("\033[K\r\n", lines(size)) + "\033[K\r\n";
                    held = paused ? body : "";
                    screen = "\033[H" + body
                        + cut(said.isEmpty() ? keys() : said, size)
                        + "\033[K\033[J";
                }
                out.print(screen);
                out.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            out.print(END);
            out.flush();
        }
    }

    private String keys() {
        fault = controls.nextFault();
        return "q end cleanly   space hold the picture" + (controls.hasRate() ? "   + and - change the rate by 10 %" : "")
            + (fault == null ? "" : "   f " + fault.fault().words());
    }

    /** Returns the screen without its last line. */
    private List<String> lines(ScreenStyle style) {
        if (style.width() < WIDTH || style.rows() < HEIGHT) {
            return List.of(cut(now, style), "", cut("The picture needs " + WIDTH + " x " + HEIGHT + ".", style));
        }
        List<String> all = new ArrayList<>();
        all.add(bold(cut("brokermeter  " + shape.what(), style), style));
        all.addAll(two(now, style));
        all.add("");
        all.add(bold(main.label() + " time", style) + ", a column for each interval; the more messages, the "
            + (style.colour() ? "lighter" : "denser"));
        all.addAll(heat.lines(style.rows() - OTHERS, style));
        all.add(String.format(Locale.ROOT, "%8s ", "rate") + graph(style));
        all.add("");
        all.add(bold(String.format(Locale.ROOT, "%-12s%10s%10s%10s%10s%10s", "so far", "p50", "p90", "p99", "p99.9", "max"), style));
        all.add(percentiles(main));
        all.add(main == Metric.SEND || !shape.sends() ? "" : percentiles(Metric.SEND));
        all.add(cut(broker(), style));
        all.add(cut(ledger(), style));
        all.add(cut(last, style));
        return all;
    }

    private static String bold(String text, ScreenStyle style) {
        return style.colour() ? "\033[1m" + text + "\033[0m" : text;
    }

    private static String cut(String text, ScreenStyle style) {
        return text.length() < style.width() ? text : text.substring(0, style.width() - 1);
    }

    /** Breaks a text into two lines, the second of which may be empty. */
    private static List<String> two(String text, ScreenStyle style) {
        int at = text.length() < style.width() ? -1 : text.lastIndexOf(' ', style.width() - 1);
        return at < 0 ? List.of(cut(text, style), "") : List.of(text.substring(0, at), cut(text.substring(at + 1), style));
    }

    private String graph(ScreenStyle style) {
        String signs = style.blocks() ? BARS : LETTERS;
        int room = style.width() - 10;
        double most = rates.stream().mapToDouble(Double::doubleValue).max().orElse(0);
        StringBuilder graph = new StringBuilder(" ".repeat(Math.max(0, room - rates.size())));
        rates.stream().skip(Math.max(0, rates.size() - room))
            .forEach(rate -> graph.append(signs.charAt(most > 0 ? (int) Math.round(rate / most * (signs.length() - 1)) : 0)));
        return graph.toString();
    }

    private String percentiles(Metric metric) {
        Histogram samples = times.get(metric);
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-12s", metric.label()));
        for (double percentile : PERCENTILES) {
            line.append(cell(samples != null && new Distribution(samples, 0, 0).supports(percentile)
                ? samples.getValueAtPercentile(percentile) / 1e3 : Double.NaN));
        }
        return line.append(cell(samples != null && samples.getTotalCount() > 0 ? samples.getMaxValue() / 1e3 : Double.NaN)).toString();
    }

    private static String cell(double micros) {
        return String.format(Locale.ROOT, "%10s", Amounts.time(micros));
    }

    private String broker() {
        List<String> parts = new ArrayList<>();
        if (broker.usage().cpuPercent() >= 0) {
            parts.add("CPU " + Amounts.percent(broker.usage().cpuPercent()) + " of a core");
        }
        if (broker.usage().residentBytes() >= 0) {
            parts.add("memory " + Amounts.bytes(broker.usage().residentBytes()));
        }
        if (broker.heap().usedBytes() >= 0) {
            parts.add("heap " + Amounts.bytes(broker.heap().usedBytes()));
        }
        if (broker.depth() >= 0) {
            parts.add(Amounts.count(broker.depth()) + " waiting");
        }
        return "broker      " + (parts.isEmpty() ? "not observed" : String.join(", ", parts));
    }

    private String ledger() {
        List<String> parts = new ArrayList<>();
        for (Count count : new Count[] {Count.SENT, Count.COMPLETED, Count.RECEIVED, Count.FAILED, Count.DUPLICATES, Count.CORRUPT}) {
            long value = counts.get(count);
            boolean always =
                count == Count.RECEIVED ? shape.receives() : (count == Count.SENT || count == Count.COMPLETED) && shape.sends();
            if (value > 0 || always) {
                parts.add(switch (count) {
                    case SENT -> "sent ";
                    case COMPLETED -> "confirmed ";
                    case RECEIVED -> "received ";
                    case FAILED -> "failed ";
                    case DUPLICATES -> "duplicated ";
                    default -> "corrupt ";
                } + Amounts.count(Math.max(0, value)));
            }
        }
        return "ledger      " + String.join(", ", parts);
    }
}
