package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import com.sun.net.httpserver.HttpServer;
import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes, JVMs, endpoints and a real broker under observation. */
@EnabledOnOs(OS.LINUX)
class ObservedBrokerTest {

    private static final long MEBI = 1L << 20;

    static {
        // On a busy machine a JVM may need longer to answer than the 10 s for which the JDK waits by default.
        System.setProperty("sun.tools.attach.attachTimeout", "60000");
    }

    private static Observation plain() {
        return Observation.of(null, null, null, List.of(), Setting::key);
    }

    private static String url(int port) {
        return "tcp://127.0.0.1:" + port;
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    /** Waits for the next sample. */
    private static BrokerSample sample(BrokerWatch watch) throws InterruptedException {
        @Nullable BrokerSample[] found = new BrokerSample[1];
        await(() -> (found[0] = watch.sample()) != null, "a sample");
        return Objects.requireNonNull(found[0]);
    }

    /** Waits for a reading that has begun after this call, since the end of the phase does not wait long for one. */
    private static void awaitReading(BrokerWatch watch) throws InterruptedException {
        // a reading that nobody has asked for yet
        watch.sample();
        sample(watch);
        // the reading of the first sample may have begun before
        sample(watch);
    }

    /** Begins the measured phase, and waits for the reading from which it counts, which may otherwise be later than the next action. */
    private static void begin(BrokerWatch watch) throws InterruptedException {
        watch.begin();
        awaitReading(watch);
    }

    /** Returns the next sample that contains the heap. */
    private static BrokerSample sampleWithHeap(BrokerWatch watch) throws InterruptedException {
        BrokerSample sample = sample(watch);
        while (sample.heap().usedBytes() < 0) {
            sample = sample(watch);
        }
        return sample;
    }

    @Test
    void findsTheProcessByItsPortAndCountsWhatItUses() throws Exception {
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = Observation.of(null, "attach", null, List.of(), Setting::key).at(List.of(url(program.port()))).open()) {
            sampleWithHeap(watch);
            assertThat(watch.describe()).isEqualTo("java (pid " + program.pid() + ")");
            program.tell("open 40");
            program.tell("threads 30");
            double used = used(program.pid());
            awaitReading(watch);
            watch.begin();
            await(() -> watch.end().gcCount() >= 0, "two readings of its heap");
            long before = Long.parseLong(program.tell("sleep 300"));
            program.tell("collect 3");
            program.tell("sleep 200");
            program.tell("write " + 4 * MEBI + " " + Path.of("target", "observed-file").toAbsolutePath());
            long after = Long.parseLong(program.tell("burn 1200"));
            awaitReading(watch);
            await(() -> watch.end().gcCount() >= 3, "a reading of its heap after the collections");
            BrokerFigures figures = watch.end();
            // The CPU time of the JVM before the first and after the last command also counts, such as that of its answers to JMX.
            assertThat(figures.cpuSeconds()).isBetween((after - before) / 1e9 - 0.05, used(program.pid()) - used + 0.05);
            assertThat(figures.localCpuSeconds()).isEqualTo(figures.cpuSeconds());
            assertThat(figures.cpuPercent()).isCloseTo(100 * figures.cpuSeconds() / figures.seconds(), within(1e-6));
            assertThat(figures.cpuPercentMax()).isGreaterThanOrEqualTo(figures.cpuPercent());
            assertThat(figures.residentBytesMax()).isBetween(20 * MEBI, 300 * MEBI)
                .isGreaterThanOrEqualTo(figures.residentBytes());
            assertThat(figures.memoryPercent()).isBetween(0.001, 50.0);
            assertThat(figures.threadsMax()).isGreaterThan(35);
            // One thread carries out all commands; no other one uses as much.
            assertThat(figures.busiestThreadPercent()).isBetween(0.4 * figures.cpuPercent(), 100.0);
            assertThat(figures.busiestThread()).isNotEmpty();
            assertThat(figures.openFilesMax()).isGreaterThan(45);
            assertThat(figures.diskWrittenBytes()).isGreaterThanOrEqualTo(4 * MEBI);
            assertThat(figures.diskReadBytes()).isNotNegative();
            assertThat(figures.voluntarySwitches()).isGreaterThanOrEqualTo(190);
            assertThat(figures.involuntarySwitches()).isNotNegative();
            assertThat(figures.gcCount()).isEqualTo(3);
            assertThat(figures.gcMillis()).isNotNegative();
            assertThat(figures.heapMaxBytes()).isBetween(50 * MEBI, 64 * MEBI);
            assertThat(figures.heapUsedBytesMax()).isPositive();
            assertThat(watch.notices()).isEmpty();
        }
    }

    /** Returns the IPv4 and IPv6 addresses on which a process listens, in the form of /proc. */
    private static List<String> listeners(long pid) throws Exception {
        List<String> inodes = new ArrayList<>();
        try (var descriptors = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:[")) {
                        inodes.add(target.substring(8, target.length() - 1));
                    }
                } catch (java.nio.file.NoSuchFileException e) {
                    // closed meanwhile
                }
            }
        }
        List<String> found = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "net", table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields.length > 9 && fields[3].equals("0A") && inodes.contains(fields[9])) {
                    found.add(fields[1].replaceAll(":.*", ""));
                }
            }
        }
        return found;
    }

    /** Returns whether an address in the form of /proc is in 127.0.0.0/8, also mapped to IPv6, or is ::1. */
    private static boolean isLoopback(String address) {
        return address.matches("(0000000000000000FFFF0000)?[0-9A-F]{6}7F") || address.equals("00000000000000000000000001000000");
    }

    @Test
    void aJvmThatIsNotOursIsLeftAloneUnlessAskedAndThenListensOnLoopback() throws Exception {
        try (BusyProgram program = BusyProgram.start()) {
            List<String> before = listeners(program.pid());
            try (BrokerWatch watch = plain().at(List.of(url(program.port()))).open()) {
                List<String> unseen = new ArrayList<>();
                await(() -> unseen.addAll(watch.unseen()), "what is not seen");
                assertThat(unseen).containsExactly("Heap and garbage collection of java (pid " + program.pid() + ") are not known,"
                    + " because nothing is attached to a broker that was not started for the run; broker jmx attach does that");
                assertThat(sample(watch).heap()).isEqualTo(BrokerSample.Heap.UNKNOWN);
                assertThat(watch.notices()).isEmpty();
            }
            assertThat(listeners(program.pid())).isEqualTo(before);
            try (BrokerWatch watch = Observation.of(Long.toString(program.pid()), "attach", null, List.of(), Setting::key).open()) {
                sampleWithHeap(watch);
                List<String> during = listeners(program.pid());
                assertThat(during).hasSizeGreaterThan(before.size());
                assertThat(during).filteredOn(address -> !before.contains(address)).allMatch(ObservedBrokerTest::isLoopback);
            }
        }
    }

    /** The JDK's own agent, which an attachment can start, would listen on every network interface. The last has several processes. */
    @ParameterizedTest
    @ValueSource(strings = {"artemis", "rocketmq"})
    void aBrokerThatWasStartedForTheRunListensOnLoopbackAloneAndReportsItsHeap(String name) throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse(name))) {
            List<Long> pids = broker.nodes().stream().map(BrokerNode::pid).toList();
            for (Observation observation : List.of(plain(), Observation.of(null, "attach", null, List.of(), Setting::key))) {
                try (BrokerWatch watch = observation.with(pids).open()) {
                    BrokerSample.Heap heap = sampleWithHeap(watch).heap();
                    assertThat(heap.usedBytes()).isPositive().isLessThanOrEqualTo(heap.committedBytes());
                    assertThat(heap.maxBytes()).isGreaterThan(200 * MEBI);
                    for (long pid : pids) {
                        assertThat(listeners(pid)).isNotEmpty().allMatch(ObservedBrokerTest::isLoopback);
                    }
                    assertThat(watch.notices()).isEmpty();
                    assertThat(watch.unseen()).isEmpty();
                }
            }
            // a second observation of each kind
            if (name.equals("artemis")) {
                isFoundByItsUrl(broker);
                try (BrokerWatch watch = plain().with(pids).open()) {
                    holdsNothingUpWhenFrozen(watch, broker.pid());
                }
            }
        }
    }

    private static void isFoundByItsUrl(Broker broker) throws Exception {
        try (BrokerWatch watch = Observation.of(null, "attach", null, List.of(), Setting::key).at(List.of(broker.url())).open()) {
            BrokerSample sample = sampleWithHeap(watch);
            assertThat(watch.describe()).isEqualTo("java (pid " + broker.pid() + ")");
            assertThat(sample.usage().residentBytes()).isGreaterThan(50 * MEBI);
            assertThat(sample.usage().threads()).isGreaterThan(10);
            assertThat(sample.heap().maxBytes()).isGreaterThan(500 * MEBI);
            assertThat(watch.notices()).isEmpty();
            begin(watch);
            assertThat(watch.end().residentBytesMax()).isGreaterThan(50 * MEBI);
        }
    }

    @Test
    void eachSampleIsWhatCameSinceTheLastOne() throws Exception {
        long opened = System.nanoTime();
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = plain().with(List.of(program.pid())).open()) {
            sample(watch);
            program.tell("burn 300");
            // On a busy machine a sample may be taken while the command runs.
            double percentSeconds = 0;
            double seconds = 0;
            BrokerSample busy;
            do {
                busy = sample(watch);
                // Two readings may come close together after a stall of the machine.
                assertThat(busy.seconds()).isPositive();
                seconds += busy.seconds();
                percentSeconds += busy.usage().cpuPercent() * busy.seconds();
            } while (percentSeconds < 28);
            assertThat(seconds).as("each since the last sample, and not since the first")
                .isLessThan((System.nanoTime() - opened) / 1e9 + 0.1);
            double whole = program.process().info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
            assertThat(percentSeconds / 100).as("nothing twice").isLessThan(whole + 0.05);
            // This thread may be delayed by a second once.
            assertThat(Arrays.asList(watch.sample(), watch.sample(), watch.sample())).as("within the second").containsNull();
            assertThat(busy.processes()).as("there is one alone").isEmpty();
            assertThat(busy.depth()).isEqualTo(-1);
        }
    }

    @Test
    void severalProcessesAreAddedAndToldApart() throws Exception {
        try (BusyProgram one = BusyProgram.start(); BusyProgram other = BusyProgram.start();
                BrokerWatch watch = Observation.of(one.pid() + "," + other.pid(), "none", null, List.of(), Setting::key).open()) {
            sample(watch);
            double used = used(one.pid()) + used(other.pid());
            awaitReading(watch);
            begin(watch);
            one.tell("burn 500");
            other.tell("burn 250");
            BrokerSample sample = sample(watch);
            assertThat(sample.processes()).extracting(BrokerSample.Part::pid).containsExactly(one.pid(), other.pid());
            assertThat(sample.usage().residentBytes())
                .isEqualTo(sample.processes().stream().mapToLong(p -> p.usage().residentBytes()).sum());
            awaitReading(watch);
            assertThat(watch.end().cpuSeconds()).isBetween(0.7, used(one.pid()) + used(other.pid()) - used + 0.05);
            assertThat(watch.describe()).contains("pid " + one.pid(), "pid " + other.pid());
            assertThat(sample.heap()).as("JMX was not wanted").isEqualTo(BrokerSample.Heap.UNKNOWN);
        }
    }

    @Test
    void aChildOfTheBrokerBelongsToIt() throws Exception {
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = Observation.of(Long.toString(program.pid()), "none", null, List.of(), Setting::key).open()) {
            sample(watch);
            program.tell("child 1000000");
            BrokerSample sample = sample(watch);
            while (sample.processes().isEmpty()) {
                sample = sample(watch);
            }
            assertThat(sample.processes()).extracting(BrokerSample.Part::name).contains("java", "sh");
        }
    }

    /** Returns a field of {@code stat} in seconds; fields are counted from the state of the process, which is field 0. */
    private static double seconds(long pid, int field) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[field]) / 100.0;
    }

    /** Returns the CPU time of a process so far, in seconds. */
    private static double used(long pid) throws IOException {
        return seconds(pid, 11) + seconds(pid, 12);
    }

    /** Redis rewrites its file in a child that may live for less than a second. */
    @Test
    void whatAChildUsedThatNobodySawBelongsToTheBroker() throws Exception {
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = Observation.of(Long.toString(program.pid()), "none", null, List.of(), Setting::key).open()) {
            sample(watch);
            begin(watch);
            for (int i = 0; i < 20 && seconds(program.pid(), 13) < 0.5; i++) {
                program.tell("run 100000");
            }
            double used = seconds(program.pid(), 13) + seconds(program.pid(), 14);
            assertThat(used).isGreaterThan(0.4);
            awaitReading(watch);
            assertThat(watch.end().cpuSeconds()).isGreaterThan(used - 0.05);
        }
    }

    /** The kernel adds the figures of a child to those of its parent once the parent has waited for it. */
    @Test
    void whatAChildHadIsNotCountedTwiceWhenItHasEnded() throws Exception {
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = Observation.of(Long.toString(program.pid()), "none", null, List.of(), Setting::key).open()) {
            sample(watch);
            begin(watch);
            program.tell("child-writes " + 48 * MEBI + " " + Path.of("target", "observed-file").toAbsolutePath());
            BrokerSample sample = sample(watch);
            while (sample.processes().isEmpty()) {
                sample = sample(watch);
            }
            program.tell("end-children");
            // Waits for at least one reading without the child.
            while (!sample.processes().isEmpty()) {
                sample = sample(watch);
            }
            sample(watch);
            assertThat(watch.end().diskWrittenBytes()).isBetween(47 * MEBI, 60 * MEBI);
        }
    }

    /** Redis saves its data in a copy of its process, with which it shares memory. */
    @Test
    void memoryThatACopyOfTheBrokerSharesWithItIsCountedOnce() throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse("redis"));
                Socket socket = new Socket("127.0.0.1", broker.port());
                BrokerWatch watch = Observation.of(Long.toString(broker.pid()), "none", null, List.of(), Setting::key).open()) {
            // The copy ends 200 s after it has saved the only key.
            for (String command : List.of("CONFIG SET rdb-key-save-delay 200000000", "SETRANGE large " + 200 * MEBI + " x", "BGSAVE")) {
                socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
            BrokerSample sample = sample(watch);
            while (sample.processes().size() < 2) {
                sample = sample(watch);
            }
            // the first of these samples may be a mean of values before and after the copy started
            sample = sample(watch);
            assertThat(sample.usage().residentBytes()).isBetween(200 * MEBI, 300 * MEBI);
            assertThat(sample.processes()).satisfiesExactlyInAnyOrder(
                parent -> assertThat(parent.usage().residentBytes()).isGreaterThan(200 * MEBI),
                copy -> assertThat(copy.usage().residentBytes()).isBetween(0L, 100 * MEBI));
        }
    }

    @Test
    void aBrokerThatEndsIsToldOnceAndOneThatIsStartedAnewIsFoundAgain() throws Exception {
        // no other process gets this port while nothing listens on it
        int port = FreePort.find();
        try (BusyProgram first = BusyProgram.start("-Dport=" + port)) {
            try (BrokerWatch watch = Observation.of(null, "attach", null, List.of(), Setting::key).at(List.of(url(port))).open()) {
                sampleWithHeap(watch);
                watch.begin();
                // A process that ends before its first reading of the measured phase has no figures in that phase.
                sample(watch);
                await(() -> watch.end().gcCount() >= 0, "two readings of its heap");
                first.tell("burn 100");
                first.close();
                List<String> notices = new ArrayList<>();
                await(() -> {
                    notices.addAll(watch.notices());
                    return !notices.isEmpty();
                }, "a notice");
                assertThat(notices).containsExactly("The broker's process " + first.pid() + " is gone");
                BrokerFigures before = watch.end();
                assertThat(before.residentBytesMax()).as("what was seen of it").isPositive();
                try (BusyProgram second = BusyProgram.start("-Dport=" + port)) {
                    await(() -> notices.addAll(watch.notices()), "a second notice");
                    assertThat(notices.getLast()).isEqualTo("The broker runs again: java (pid " + second.pid() + ")");
                    assertThat(sample(watch).usage().residentBytes()).isPositive();
                    await(() -> {
                        second.tell("collect 1");
                        return watch.end().gcCount() > before.gcCount();
                    }, "a reading of its heap");
                    assertThat(watch.end().heapMaxBytes()).as("of one at a time").isBetween(50 * MEBI, 64 * MEBI);
                }
            }
        }
    }

    private static String pair(int one, int other) {
        return "failover:(" + url(one) + "," + url(other) + ")";
    }

    @Test
    void whatAServerUsedThatStoodByIsNotTheRuns() throws Exception {
        int later = FreePort.find();
        try (BusyProgram first = BusyProgram.start(); BusyProgram standby = BusyProgram.start()) {
            standby.tell("burn 2000");
            standby.tell("write " + 16 * MEBI + " " + Path.of("target", "observed-file").toAbsolutePath());
            try (BrokerWatch watch = plain().at(List.of(pair(first.port(), later))).open()) {
                begin(watch);
                List<String> notices = new ArrayList<>();
                await(() -> notices.addAll(watch.notices()), "what is not known");
                assertThat(notices).containsExactly("Not all processes of the broker are known, because nothing on this machine listens"
                    + " on port " + later + "; name them with broker pid");
                standby.tell("listen " + later);
                first.close();
                await(() -> {
                    notices.addAll(watch.notices());
                    return notices.size() == 3;
                }, "notices of both");
                assertThat(notices).contains("The broker's process " + first.pid() + " is gone")
                    .anyMatch(notice -> notice.endsWith(": java (pid " + standby.pid() + ")"));
                awaitReading(watch);
                BrokerFigures figures = watch.end();
                assertThat(figures.residentBytes()).isPositive();
                assertThat(figures.cpuSeconds()).isLessThan(1.5);
                assertThat(figures.diskWrittenBytes()).isLessThan(12 * MEBI);
            }
        }
    }

    @Test
    void ofTwoServersOneThatIsStartedAnewIsFoundAgainAndCountsFromItsBegin() throws Exception {
        int port = FreePort.find();
        try (BusyProgram one = BusyProgram.start(); BusyProgram other = BusyProgram.start("-Dport=" + port)) {
            try (BrokerWatch watch = plain().at(List.of(pair(one.port(), port))).open()) {
                begin(watch);
                List<String> notices = new ArrayList<>();
                other.close();
                await(() -> notices.addAll(watch.notices()), "a notice");
                assertThat(notices).containsExactly("The broker's process " + other.pid() + " is gone");
                try (BusyProgram again = BusyProgram.start("-Dport=" + port)) {
                    again.tell("burn 500");
                    await(() -> notices.addAll(watch.notices()), "a second notice");
                    assertThat(notices.getLast()).isEqualTo("A process of the broker listens now: java (pid " + again.pid() + ")");
                    BrokerSample sample = sample(watch);
                    while (sample.processes().isEmpty()) {
                        sample = sample(watch);
                    }
                    assertThat(sample.processes()).extracting(BrokerSample.Part::pid).containsExactly(one.pid(), again.pid());
                    awaitReading(watch);
                    assertThat(watch.end().cpuSeconds()).isGreaterThan(0.5);
                    assertThat(watch.describe()).contains("pid " + one.pid(), "pid " + again.pid());
                }
            }
        }
    }

    /**
     * Waits for the directory that would be deleted at the exit of this process. The shell that would do that has no arguments while it
     * executes a program, and those of earlier watches, whose directories are gone, may not have ended yet.
     */
    private static Path agentFiles() throws InterruptedException {
        List<Path> found = new ArrayList<>();
        await(() -> found.addAll(ProcessHandle.current().children()
            .flatMap(child -> Arrays.stream(child.info().arguments().orElse(new String[0])))
            .filter(argument -> argument.contains("/brokermeter-jmx-")).map(Path::of).filter(Files::exists).toList()),
            "a shell that would delete the files of the agent");
        return found.getFirst();
    }

    /** A frozen JVM does not answer, so a query blocks forever. */
    @Test
    void theFilesOfAnAgentGoWithTheWatchThoughItsJvmIsFrozenAndWithThisProcessOtherwise() throws Exception {
        try (BusyProgram program = BusyProgram.start()) {
            Path files;
            try (BrokerWatch watch = Observation.of(Long.toString(program.pid()), "attach", null, List.of(), Setting::key).open()) {
                sampleWithHeap(watch);
                files = agentFiles();
                assertThat(files.resolve("password")).exists();
                new ProcessBuilder("kill", "-STOP", Long.toString(program.pid())).start().waitFor();
                // Samples contain the heap of the last answer for 3 s, so by then the next query is blocked.
                while (sample(watch).heap().usedBytes() >= 0) {
                    Thread.onSpinWait();
                }
            }
            assertThat(files).doesNotExist();
        }
    }

    @Test
    void aJvmThatLetsNobodyAttachIsToldOnceAndItsProcessIsWatchedAllTheSame() throws Exception {
        try (BusyProgram program = BusyProgram.start("-XX:+DisableAttachMechanism");
                BrokerWatch watch = Observation.of(Long.toString(program.pid()), "attach", null, List.of(), Setting::key).open()) {
            List<String> notices = new ArrayList<>();
            await(() -> notices.addAll(watch.notices()), "a notice");
            assertThat(notices).containsExactly("Heap and garbage collection of java (pid " + program.pid()
                + ") are not known, because this JVM does not permit attaching; name its JMX service with broker jmx");
            assertThat(sample(watch).usage().residentBytes()).isPositive();
            assertThat(watch.notices()).isEmpty();
            assertThat(program.process().isAlive()).isTrue();
        }
    }

    @Test
    void aProcessThatIsNoJvmIsNotAskedForItsHeap() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        try (BrokerWatch watch = plain().with(List.of(sleeper.pid())).open()) {
            BrokerSample sample = sample(watch);
            assertThat(sample.heap()).isEqualTo(BrokerSample.Heap.UNKNOWN);
            assertThat(sample.usage().threads()).isEqualTo(1);
            assertThat(sample.usage().cpuPercent()).isLessThan(50);
            assertThat(watch.notices()).isEmpty();
            assertThat(sleeper.isAlive()).isTrue();
        } finally {
            sleeper.destroyForcibly();
        }
    }

    @Test
    void aJvmThatWasKilledLeavesNothingOfItsAttachment() throws Exception {
        try (BusyProgram program = BusyProgram.start()) {
            try (BrokerWatch watch = Observation.of(Long.toString(program.pid()), "attach", null, List.of(), Setting::key).open()) {
                sampleWithHeap(watch);
                assertThat(program.socket()).exists();
                program.kill();
            }
            await(() -> !Files.exists(program.socket()), "the end of its socket");
        }
    }

    @Test
    void aFrozenBrokerHoldsNothingUp() throws Exception {
        try (BusyProgram program = BusyProgram.start();
                BrokerWatch watch = Observation.of(Long.toString(program.pid()), "attach", null, List.of(), Setting::key).open()) {
            holdsNothingUpWhenFrozen(watch, program.pid());
        }
    }

    private static void holdsNothingUpWhenFrozen(BrokerWatch watch, long pid) throws Exception {
        sampleWithHeap(watch);
        begin(watch);
        new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
        BrokerSample sample = sample(watch);
        assertThat(sample.usage().threads()).isPositive();
        long before = System.nanoTime();
        assertThat(watch.end().residentBytes()).isPositive();
        watch.close();
        assertThat(System.nanoTime() - before).as("the bound of end() is 0.5 s").isLessThan(30_000_000_000L);
    }

    @Test
    void aJmxServiceTellsOfARemoteJvm() throws Exception {
        int port = FreePort.find();
        try (BusyProgram program = BusyProgram.start("-Dcom.sun.management.jmxremote.port=" + port,
            "-Dcom.sun.management.jmxremote.authenticate=false", "-Dcom.sun.management.jmxremote.ssl=false",
            "-Dcom.sun.management.jmxremote.host=127.0.0.1", "-Djava.rmi.server.hostname=127.0.0.1");
                BrokerWatch watch = Observation.of(null, "127.0.0.1:" + port, null, List.of(), Setting::key).open()) {
            sampleWithHeap(watch);
            double used = used(program.pid());
            awaitReading(watch);
            begin(watch);
            program.tell("burn 400");
            program.tell("collect 2");
            awaitReading(watch);
            BrokerFigures figures = watch.end();
            assertThat(figures.observed()).isEqualTo("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi");
            assertThat(figures.cpuSeconds()).isBetween(0.3, used(program.pid()) - used + 0.05);
            assertThat(figures.localCpuSeconds()).as("on processors of this machine").isNaN();
            assertThat(figures.gcCount()).isEqualTo(2);
            assertThat(figures.heapMaxBytes()).isBetween(50 * MEBI, 64 * MEBI);
            assertThat(figures.openFilesMax()).isPositive();
            assertThat(figures.residentBytes()).as("JMX does not tell it").isEqualTo(-1);
        }
    }

    @Test
    void aJmxServiceThatIsNotThereIsToldOnce() throws Exception {
        try (BrokerWatch watch = Observation.of(null, "user:sesame@127.0.0.1:1", null, List.of(), Setting::key).open()) {
            List<String> notices = new ArrayList<>();
            await(() -> notices.addAll(watch.notices()), "a notice");
            assertThat(notices).hasSize(1);
            assertThat(notices.getFirst()).startsWith("Heap and garbage collection of the broker are not known, because JMX at "
                + "service:jmx:rmi:///jndi/rmi://127.0.0.1:1/jmxrmi fails: ").doesNotContain("sesame");
            assertThat(watch.sample()).isNull();
            assertThat(watch.end()).isEqualTo(BrokerFigures.UNKNOWN);
        }
    }

    /** Starts an endpoint whose response tests can change. */
    private static HttpServer endpoint(AtomicInteger status, AtomicReference<String> text,
            AtomicReference<String> login) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            login.set(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status.get(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    @Test
    void anEndpointTellsOfARemoteBroker() throws Exception {
        AtomicReference<String> text = new AtomicReference<>("process_cpu_seconds_total 100\nprocess_resident_memory_bytes 5e8\n"
            + "queue_depth{q=\"A\"} 7\n");
        AtomicReference<String> login = new AtomicReference<>("");
        HttpServer server = endpoint(new AtomicInteger(200), text, login);
        String url = "http://user:sesame@127.0.0.1:" + server.getAddress().getPort();
        try (BrokerWatch watch = Observation.of(null, null, url + "/metrics?token=secret", List.of("queue_depth", "absent"), Setting::key)
            .open()) {
            sample(watch);
            assertThat(login.get()).isEqualTo("Basic dXNlcjpzZXNhbWU=");
            begin(watch);
            text.set("process_cpu_seconds_total 102.5\nprocess_resident_memory_bytes 6e8\nqueue_depth{q=\"A\"} 9\n");
            BrokerSample after = sample(watch);
            while (after.usage().residentBytes() != 600_000_000) {
                after = sample(watch);
            }
            assertThat(after.usage().cpuPercent() * after.seconds()).isCloseTo(250, within(1.0));
            // The metrics are new a moment after the usage, and left out when they are older than five seconds, as after a stall.
            Map<String, Double> metrics = Map.of("queue_depth", 9.0);
            while (!after.metrics().equals(metrics)) {
                after = sample(watch);
            }
            await(() -> watch.end().metrics().equals(metrics), "figures with the metrics");
            BrokerFigures figures = watch.end();
            assertThat(figures.cpuSeconds()).isCloseTo(2.5, within(1e-6));
            assertThat(figures.localCpuSeconds()).as("on processors of this machine").isNaN();
            assertThat(figures.residentBytesMax()).isEqualTo(600_000_000);
            String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/metrics";
            assertThat(watch.notices()).filteredOn(notice -> !isLate(notice))
                .containsExactly("There is no metric absent at " + address + " so far");
            assertThat(figures.observed()).isEqualTo(address);
        } finally {
            server.stop(0);
        }
    }

    /** Returns whether an endpoint took too long, as on a busy machine. Of several failures only the first one is reported. */
    private static boolean isLate(String notice) {
        return notice.contains(": it does not answer within ") || notice.contains(": it cannot be reached within ");
    }

    /** Opens watches of an endpoint until one fails for a reason other than a delay on a busy machine. */
    private static BrokerWatch toldInTime(String address, List<String> notices) throws InterruptedException {
        while (true) {
            BrokerWatch watch = Observation.of(null, null, address, List.of(), Setting::key).open();
            await(() -> notices.addAll(watch.notices()), "a notice");
            if (!isLate(notices.getFirst())) {
                return watch;
            }
            watch.close();
            notices.clear();
        }
    }

    @Test
    void anEndpointThatFailsIsToldOnce() throws Exception {
        AtomicInteger status = new AtomicInteger(401);
        HttpServer server = endpoint(status, new AtomicReference<>("x"), new AtomicReference<>(""));
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/metrics";
        List<String> notices = new ArrayList<>();
        try (BrokerWatch watch = toldInTime(address, notices)) {
            assertThat(notices).containsExactly("No metrics of the broker from " + address + ": it answers with HTTP status 401");
            status.set(200);
            await(() -> notices.addAll(watch.notices()), "a second notice");
            assertThat(notices.getLast()).isEqualTo("The endpoint " + address + " has no metric of CPU, memory or heap with a known"
                + " name; name its metrics with broker metric");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void anEndpointThatIsNotThereIsToldOnce() throws Exception {
        List<String> notices = new ArrayList<>();
        try (BrokerWatch _ = toldInTime("http://127.0.0.1:1/metrics", notices)) {
            assertThat(notices).containsExactly("No metrics of the broker from http://127.0.0.1:1/metrics: nothing listens there");
        }
    }

    /** The endpoint accepts connections and sends nothing. */
    @Test
    void anEndpointThatHangsHoldsNothingUp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                BrokerWatch watch =
                    Observation.of(null, null, "http://127.0.0.1:" + silent.getLocalPort(), List.of(), Setting::key).open()) {
            watch.begin();
            assertThat(watch.sample()).isNull();
            assertThat(watch.end()).isEqualTo(BrokerFigures.UNKNOWN);
            List<String> notices = new ArrayList<>();
            await(() -> notices.addAll(watch.notices()), "a notice");
            assertThat(notices.getFirst()).contains("/metrics: it ").matches(ObservedBrokerTest::isLate);
        }
    }

    @Test
    void aPortThatNobodyServesIsToldOnce() throws Exception {
        try (BrokerWatch watch = plain().at(List.of("tcp://localhost:1")).open()) {
            List<String> notices = new ArrayList<>();
            await(() -> notices.addAll(watch.notices()), "a notice");
            assertThat(notices).containsExactly("The process of the broker is not known, because nothing on this machine listens "
                + "on port 1; name it with broker pid");
            assertThat(watch.end()).isEqualTo(BrokerFigures.UNKNOWN);
        }
    }

    /** 192.0.2.0/24 is reserved for documentation, so no machine has such an address. */
    @Test
    void aRemoteBrokerWithoutAnEndpointIsNothingToTalkAbout() throws Exception {
        try (BrokerWatch watch = plain().at(List.of("tcp://192.0.2.1:61616")).open()) {
            watch.begin();
            assertThat(watch.sample()).isNull();
            assertThat(watch.end()).isEqualTo(BrokerFigures.UNKNOWN);
            assertThat(watch.notices()).isEmpty();
            assertThat(watch.describe()).isEmpty();
        }
    }

    @Test
    void aServerWithinThisProgramIsNotABrokerUnderTest() throws Exception {
        try (ServerSocket own = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                BrokerWatch watch = plain().at(List.of(url(own.getLocalPort()))).open()) {
            watch.begin();
            assertThat(watch.end()).isEqualTo(BrokerFigures.UNKNOWN);
            assertThat(watch.notices()).isEmpty();
        }
    }
}
