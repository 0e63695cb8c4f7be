package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.brokers.observe.PrometheusText.Series;
import io.brokermeter.engine.health.ProcText;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.BrokerSample.Heap;
import io.brokermeter.engine.recording.BrokerSample.Usage;
import io.brokermeter.engine.run.BrokerWatch;
import org.jspecify.annotations.Nullable;

/**
 * A broker that is watched: whatever sources there are, each figure from the first that knows it. The operating system
 * comes before JMX, and that before an endpoint.
 */
final class ObservedBroker implements BrokerWatch {

    private static final long SECOND = 1_000_000_000L;
    /** So long before the run asks for a sample a reading begins, so that it is there in time. */
    private static final long LEAD = 100_000_000L;
    /** Two regular readings are at least so far apart. */
    private static final long LEAST_GAP = 400_000_000L;
    private static final long END_LIMIT = 500_000_000L;

    private final Queue<String> notices = new ConcurrentLinkedQueue<>();
    private final Queue<String> unseen = new ConcurrentLinkedQueue<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final List<Source> sources = new CopyOnWriteArrayList<>();
    private final List<HeapSeries> heaps = new CopyOnWriteArrayList<>();
    /** In the order of preference. */
    private final List<UsageSeries> usages = new ArrayList<>();
    private final HeapSeries scrapedHeap = new HeapSeries();
    private final @Nullable ProcSource processes;
    private final @Nullable JmxAddress jmx;
    private final @Nullable MetricsAddress endpoint;
    private final @Nullable MetricsSource metrics;
    private final Attaching attaching;
    private final boolean own;
    private volatile long askedAt = System.nanoTime();
    private volatile boolean begun;
    private volatile boolean closed;

    ObservedBroker(List<Long> pids, List<Servers.Server> servers, Attaching attaching, boolean own, @Nullable JmxAddress jmx,
                   @Nullable MetricsAddress endpoint, Map<String, Series> asked) {
        this.attaching = attaching;
        this.own = own;
        this.jmx = jmx;
        this.endpoint = endpoint;
        long machine = machineBytes();
        if (pids.isEmpty() && servers.isEmpty()) {
            processes = null;
        } else {
            UsageSeries usage = new UsageSeries(machine);
            usages.add(usage);
            processes = new ProcSource(pids, servers, machine, this::next, usage, this::attach, this::notice);
            sources.add(processes);
        }
        if (jmx != null) {
            UsageSeries usage = new UsageSeries(-1);
            usages.add(usage);
            HeapSeries heap = new HeapSeries();
            heaps.add(heap);
            sources.add(JmxSource.of(jmx, this::next, heap, usage, this::notice));
        }
        if (endpoint == null) {
            metrics = null;
        } else {
            UsageSeries usage = new UsageSeries(-1);
            usages.add(usage);
            metrics = new MetricsSource(endpoint, asked, this::next, usage, scrapedHeap, this::notice);
            sources.add(metrics);
        }
    }

    void start() {
        sources.forEach(Source::start);
    }

    private synchronized void attach(ObservedProcess process) {
        if (closed || attaching == Attaching.NEVER) {
            return;
        }
        if (attaching == Attaching.OWN && !own) {
            if (Boolean.TRUE.equals(process.hasMapped("libjvm.so"))) {
                unseen(JmxSource.subject(process) + " are not known, because nothing is attached to a broker that was not started"
                    + " for the run; --broker-jmx attach does that");
            }
            return;
        }
        HeapSeries heap = new HeapSeries();
        if (begun) {
            heap.begin(System.nanoTime());
        }
        Source source = own ? HostSource.of(process, this::next, heap, this::unseen)
            : JmxSource.of(process, this::next, heap, this::notice);
        if (source != null) {
            heaps.add(heap);
            sources.add(source);
            source.start();
        }
    }

    /** In step with the run, which asks at the end of each interval. */
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

    /** For the files of the run: nobody asked for it. */
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
        for (Source source : sources) {
            if (source instanceof JmxSource service && jmx != null && service.answered()) {
                all.add(jmx.toString());
            } else if (source instanceof MetricsSource scraped && endpoint != null && scraped.answered()) {
                all.add(endpoint.toString());
            }
        }
        return String.join(", ", all);
    }

    @Override
    public synchronized void begin() {
        long now = System.nanoTime();
        begun = true;
        askedAt = now;
        usages.forEach(series -> series.begin(now));
        heaps.forEach(series -> series.begin(now));
        scrapedHeap.begin(now);
        sources.forEach(Source::hurry);
    }

    @Override
    public @Nullable BrokerSample sample() {
        long now = System.nanoTime();
        askedAt = now;
        Usage usage = Usage.UNKNOWN;
        double seconds = Double.NaN;
        boolean any = false;
        for (UsageSeries series : usages) {
            UsageSeries.Taken taken = series.take();
            if (taken != null) {
                any = true;
                usage = merged(usage, taken.usage());
                seconds = Double.isNaN(seconds) ? taken.seconds() : seconds;
            }
        }
        if (!any) {
            return null;
        }
        return new BrokerSample(seconds, usage, heap(now), -1, metrics == null ? Map.of() : metrics.values(),
            processes == null ? List.of() : processes.parts());
    }

    private Heap heap(long now) {
        Heap sum = null;
        for (HeapSeries series : heaps) {
            Heap heap = series.take(now);
            if (heap != null) {
                sum = sum == null ? heap : new Heap(sum(sum.usedBytes(), heap.usedBytes()),
                    sum(sum.committedBytes(), heap.committedBytes()), sum(sum.maxBytes(), heap.maxBytes()),
                    sum(sum.gcCount(), heap.gcCount()), sum(sum.gcMillis(), heap.gcMillis()));
            }
        }
        Heap scraped = scrapedHeap.take(now);
        return sum != null ? sum : scraped != null ? scraped : Heap.UNKNOWN;
    }

    @Override
    public BrokerFigures end() {
        long now = System.nanoTime();
        sources.forEach(Source::hurry);
        try {
            while (System.nanoTime() - now < END_LIMIT && sources.stream().anyMatch(s -> s.works() && !s.hasRead(now))) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        BrokerFigures figures = BrokerFigures.UNKNOWN;
        for (UsageSeries series : usages) {
            figures = merged(figures, series.whole());
        }
        return withHeap(figures);
    }

    private static BrokerFigures merged(BrokerFigures f, UsageSeries.Whole w) {
        boolean cpu = Double.isNaN(f.cpuSeconds());
        boolean memory = f.residentBytesMax() < 0;
        return new BrokerFigures("", Double.isNaN(f.seconds()) ? w.seconds() : f.seconds(),
            cpu ? w.cpuSeconds() : f.cpuSeconds(), cpu ? w.cpuPercent() : f.cpuPercent(),
            cpu ? w.cpuPercentMax() : f.cpuPercentMax(), memory ? w.residentBytes() : f.residentBytes(),
            memory ? w.residentBytesMax() : f.residentBytesMax(), memory ? w.memoryPercent() : f.memoryPercent(),
            memory ? w.memoryPercentMax() : f.memoryPercentMax(), known(f.threadsMax(), w.threadsMax()),
            known(f.openFilesMax(), w.openFilesMax()), known(f.diskReadBytes(), w.diskReadBytes()),
            known(f.diskWrittenBytes(), w.diskWrittenBytes()), known(f.voluntarySwitches(), w.voluntarySwitches()),
            known(f.involuntarySwitches(), w.involuntarySwitches()), -1, -1, -1, -1, -1, Map.of());
    }

    /** The greatest heaps of several JVMs are added, although they need not have been so large at one moment. */
    private BrokerFigures withHeap(BrokerFigures f) {
        HeapSeries.Whole sum = null;
        for (HeapSeries series : heaps) {
            if (series.isKnown()) {
                HeapSeries.Whole w = series.whole();
                sum = sum == null ? w : new HeapSeries.Whole(sum(sum.usedBytesMax(), w.usedBytesMax()),
                    sum(sum.maxBytes(), w.maxBytes()), sum(sum.gcCount(), w.gcCount()), sum(sum.gcMillis(), w.gcMillis()));
            }
        }
        HeapSeries.Whole heap = sum == null ? scrapedHeap.whole() : sum;
        return new BrokerFigures(describe(), f.seconds(), f.cpuSeconds(), f.cpuPercent(), f.cpuPercentMax(), f.residentBytes(),
            f.residentBytesMax(), f.memoryPercent(), f.memoryPercentMax(), f.threadsMax(), f.openFilesMax(), f.diskReadBytes(),
            f.diskWrittenBytes(), f.voluntarySwitches(), f.involuntarySwitches(), heap.usedBytesMax(), heap.maxBytes(),
            heap.gcCount(), heap.gcMillis(), -1, metrics == null ? Map.of() : metrics.values());
    }

    private static Usage merged(Usage one, Usage other) {
        return new Usage(Double.isNaN(one.cpuPercent()) ? other.cpuPercent() : one.cpuPercent(),
            known(one.residentBytes(), other.residentBytes()),
            Double.isNaN(one.memoryPercent()) ? other.memoryPercent() : one.memoryPercent(),
            known(one.threads(), other.threads()), known(one.openFiles(), other.openFiles()),
            known(one.diskReadBytes(), other.diskReadBytes()), known(one.diskWrittenBytes(), other.diskWrittenBytes()),
            known(one.voluntarySwitches(), other.voluntarySwitches()),
            known(one.involuntarySwitches(), other.involuntarySwitches()));
    }

    private static int known(int one, int other) {
        return one < 0 ? other : one;
    }

    private static long known(long one, long other) {
        return one < 0 ? other : one;
    }

    private static long sum(long one, long other) {
        return one < 0 || other < 0 ? -1 : one + other;
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
        sources.forEach(Source::close);
    }
}
