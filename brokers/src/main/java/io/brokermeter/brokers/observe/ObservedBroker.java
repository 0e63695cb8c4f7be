package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.proc.ProcText;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * An observed broker. Each figure comes from the first source that has it: the operating system comes before JMX, and JMX before an
 * endpoint.
 */
final class ObservedBroker implements BrokerWatch {

    private static final long SECOND = 1_000_000_000L;
    /** The lead with which a reading begins before the run requests a sample, so that it is available in time, in nanoseconds. */
    private static final long LEAD = 100_000_000L;
    /** The minimum time between two regular readings, in nanoseconds. */
    private static final long LEAST_GAP = 400_000_000L;
    private static final long END_LIMIT = 500_000_000L;

    private final Queue<String> notices = new ConcurrentLinkedQueue<>();
    private final Queue<String> unseen = new ConcurrentLinkedQueue<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final List<FigureSource> sources = new CopyOnWriteArrayList<>();
    private final List<Readings> heaps = new CopyOnWriteArrayList<>();
    /**
     * The place of a JVM among the processes of the broker, where a later JVM may take the place of an earlier one; otherwise a place of
     * its own.
     */
    private final Map<Readings, Integer> places = new ConcurrentHashMap<>();
    /** The readings of the processes, which take precedence over all others; null where no processes are observed. */
    private final @Nullable Readings processUsage;
    /** The readings of the other sources, in order of preference. */
    private final List<Readings> otherUsages = new ArrayList<>();
    private final Readings scrapedHeap = new Readings(-1);
    private final @Nullable ProcSource processes;
    private final @Nullable MetricsSource metrics;
    private final Observation what;
    private volatile long askedAt = System.nanoTime();
    private volatile boolean begun;
    private volatile @Nullable ThreadTimes threads;
    private volatile boolean closed;

    ObservedBroker(Observation what) {
        this.what = what;
        long machine = machineBytes();
        if (what.pids.isEmpty() && what.servers.isEmpty()) {
            processUsage = null;
            processes = null;
        } else {
            processUsage = new Readings(machine);
            processes = new ProcSource(what, machine, this::next, processUsage, this::attach, this::notice);
            sources.add(processes);
        }
        if (what.jmx != null) {
            Readings usage = new Readings(-1);
            otherUsages.add(usage);
            Readings heap = new Readings(-1);
            heaps.add(heap);
            sources.add(JmxSource.of(what.jmx, what.names, this::next, usage, heap, this::notice));
        }
        if (what.metrics == null) {
            metrics = null;
        } else {
            Readings usage = new Readings(-1);
            otherUsages.add(usage);
            metrics = new MetricsSource(what.metrics, what.asked, this::next, usage, scrapedHeap, this::notice, what.names);
            sources.add(metrics);
        }
    }

    void start() {
        sources.forEach(FigureSource::start);
    }

    private synchronized void attach(ObservedProcess process) {
        if (closed || what.attaching == Observation.Attaching.NEVER) {
            return;
        }
        if (what.attaching == Observation.Attaching.OWN && !what.own) {
            if (Boolean.TRUE.equals(process.hasMapped("libjvm.so"))) {
                unseen(JmxSource.subject(process) + " are not known, because nothing is attached to a broker that was not started"
                    + " for the run; " + what.names.apply(Setting.BROKER_JMX) + " attach does that");
            }
            return;
        }
        Readings heap = new Readings(-1);
        if (begun) {
            heap.begin(System.nanoTime());
        }
        FigureSource source = what.own ? HostSource.of(process, this::next, heap, this::unseen)
            : JmxSource.of(process, what.names, this::next, heap, this::notice);
        if (source != null) {
            int place =
                what.running == null ? processes == null ? -1 : processes.place(process) : what.running.get().indexOf(process.pid());
            places.put(heap, place < 0 ? ~heaps.size() : place);
            heaps.add(heap);
            sources.add(source);
            source.start();
        }
    }

    /** Returns the time of the next reading, in step with the run, which requests a sample at the end of each interval. */
    private long next(long now) {
        long asked = askedAt;
        long seconds = Math.floorDiv(now + LEAST_GAP + LEAD - asked, SECOND) + 1;
        return asked + seconds * SECOND - LEAD;
    }

    private void notice(String sentence) {
        if (told.add(sentence)) {
            notices.add(sentence);
        }
    }

    /** Adds a notice that appears only in the files of the run. */
    private void unseen(String sentence) {
        if (told.add(sentence)) {
            unseen.add(sentence);
        }
    }

    private static long machineBytes() {
        try {
            return ProcText.kibibytes(ProcText.read(Path.of("/proc/meminfo")), "MemTotal");
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    @Override
    public String describe() {
        List<String> all = new ArrayList<>();
        if (processes != null && !processes.description().isEmpty()) {
            all.add(processes.description());
        }
        for (FigureSource source : sources) {
            if (source instanceof JmxSource service && what.jmx != null && service.answered()) {
                all.add(what.jmx.toString());
            } else if (source instanceof MetricsSource scraped && what.metrics != null && scraped.answered()) {
                all.add(what.metrics.toString());
            }
        }
        return String.join(", ", all);
    }

    @Override
    public synchronized void begin() {
        long now = System.nanoTime();
        begun = true;
        askedAt = now;
        usages().forEach(series -> series.begin(now));
        heaps.forEach(series -> series.begin(now));
        scrapedHeap.begin(now);
        sources.forEach(FigureSource::hurry);
        threads = processes == null ? null : ThreadTimes.of(processes.pids());
    }

    private Stream<Readings> usages() {
        return Stream.concat(Stream.ofNullable(processUsage), otherUsages.stream());
    }

    @Override
    public @Nullable BrokerSample sample() {
        long now = System.nanoTime();
        askedAt = now;
        ProcSource.Taken own = processes == null ? ProcSource.Taken.NOTHING : processes.take();
        Reading all = Stream.concat(Stream.ofNullable(own.total()),
            otherUsages.stream().map(Readings::take).filter(Objects::nonNull)).reduce(Reading::or).orElse(null);
        if (all == null) {
            return null;
        }
        Reading heap = heaps.stream().map(series -> series.takeRecent(now)).filter(Objects::nonNull).reduce(Reading::plus).orElse(null);
        Reading scraped = scrapedHeap.takeRecent(now);
        Reading known = heap != null ? heap : scraped != null ? scraped : new Reading();
        return new BrokerSample(all.get(ProcessFigure.SECONDS), all.usage(), known.heap(), -1,
            metrics == null ? Map.of() : metrics.values(),
            own.parts());
    }

    @Override
    public BrokerFigures end() {
        long now = System.nanoTime();
        sources.forEach(FigureSource::hurry);
        try {
            while (System.nanoTime() - now < END_LIMIT && sources.stream().anyMatch(s -> s.works() && !s.hasRead(now))) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Readings.Whole whole = usages().map(Readings::whole).reduce(Readings.Whole::or)
            .orElseGet(() -> new Readings.Whole(new Reading(), new Reading()));
        Map<Integer, Readings.Whole> byPlace = new LinkedHashMap<>();
        for (int i = 0; i < heaps.size(); i++) {
            if (heaps.get(i).isKnown()) {
                byPlace.merge(places.getOrDefault(heaps.get(i), ~i), heaps.get(i).whole(), Readings.Whole::then);
            }
        }
        Readings.Whole heap = byPlace.values().stream().reduce(Readings.Whole::plus).orElseGet(scrapedHeap::whole);
        ThreadTimes before = threads;
        ThreadTimes after = before == null || processes == null ? null : ThreadTimes.of(processes.pids());
        Optional<ThreadTimes.Busy> busiest = before == null || after == null ? Optional.empty() : after.busiest(before);
        Reading mean = whole.mean();
        Reading most = whole.most();
        return BrokerFigures.of(its -> {
            its.observed = describe();
            its.seconds = mean.get(ProcessFigure.SECONDS);
            its.cpuSeconds = mean.get(ProcessFigure.CPU_SECONDS);
            its.localCpuSeconds = processUsage == null ? Double.NaN : processUsage.whole().mean().get(ProcessFigure.CPU_SECONDS);
            its.cpuPercent = mean.get(ProcessFigure.CPU_PERCENT);
            its.cpuPercentMax = most.get(ProcessFigure.CPU_PERCENT);
            its.residentBytes = mean.whole(ProcessFigure.RESIDENT_BYTES);
            its.residentBytesMax = most.whole(ProcessFigure.RESIDENT_BYTES);
            its.memoryPercent = mean.get(ProcessFigure.MEMORY_PERCENT);
            its.memoryPercentMax = most.get(ProcessFigure.MEMORY_PERCENT);
            its.waitingPercent = before == null || after == null ? Double.NaN : after.waitingPercent(before);
            its.threadsMax = (int) most.whole(ProcessFigure.THREADS);
            busiest.ifPresent(thread -> {
                its.busiestThread = thread.name();
                its.busiestThreadPercent = thread.percent();
            });
            its.openFilesMax = (int) most.whole(ProcessFigure.OPEN_FILES);
            its.diskReadBytes = mean.whole(ProcessFigure.DISK_READ_BYTES);
            its.diskWrittenBytes = mean.whole(ProcessFigure.DISK_WRITTEN_BYTES);
            its.voluntarySwitches = mean.whole(ProcessFigure.VOLUNTARY_SWITCHES);
            its.involuntarySwitches = mean.whole(ProcessFigure.INVOLUNTARY_SWITCHES);
            its.heapUsedBytesMax = heap.most().whole(ProcessFigure.HEAP_USED_BYTES);
            its.heapMaxBytes = heap.most().whole(ProcessFigure.HEAP_MAX_BYTES);
            its.gcCount = heap.mean().whole(ProcessFigure.GC_COUNT);
            its.gcMillis = heap.mean().whole(ProcessFigure.GC_MILLIS);
            its.metrics = metrics == null ? Map.of() : metrics.values();
        });
    }

    @Override
    public List<String> notices() {
        return taken(notices);
    }

    @Override
    public List<String> unseen() {
        return taken(unseen);
    }

    private static List<String> taken(Queue<String> queue) {
        List<String> all = new ArrayList<>();
        String sentence;
        while ((sentence = queue.poll()) != null) {
            all.add(sentence);
        }
        return all;
    }

    @Override
    public synchronized void close() {
        closed = true;
        sources.forEach(FigureSource::close);
    }
}
