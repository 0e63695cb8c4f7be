package io.brokermeter.brokers.observe;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a broker on this machine, with their children as they come and go. Finds the processes, also when the broker is started
 * again. Amounts only grow, since the usage of a process stays counted after its end. The usage of children that came and went unseen is
 * included in the amounts of their parents.
 */
final class ProcSource extends FigureSource {

    /** The interval at which a broker that is gone is looked for, in nanoseconds. */
    private static final long LOOK_AGAIN = 2_000_000_000L;
    /** The number of readings between two searches for new children; a search reads a file of every process on the machine. */
    private static final int LOOK_FOR_CHILDREN = 5;
    /** The amounts to which the kernel adds those of the children that a process has waited for. */
    private static final Set<ProcessFigure> OF_CHILDREN =
        Collections.unmodifiableSet(EnumSet.of(ProcessFigure.CPU_SECONDS, ProcessFigure.DISK_READ_BYTES, ProcessFigure.DISK_WRITTEN_BYTES));

    private final Observation what;
    private final long machineBytes;
    private final Consumer<ObservedProcess> found;
    private final Consumer<String> notice;
    private final Readings usage;
    private final Map<Long, Member> members = new LinkedHashMap<>();
    private final Map<ProcessFigure, Double> totals = new EnumMap<>(ProcessFigure.class);
    /** Guards the last readings, so that a sample is from one reading as a whole. */
    private final Object lock = new Object();
    /** The members of the last reading, guarded by the lock; members come and go in the middle of the next reading. */
    private List<Member> lastRead = List.of();
    private volatile String description = "";
    private int readings;
    private boolean searched;
    private boolean everFound;
    private long searchedAt;
    /** The last findings about the servers of this machine. */
    private final Map<Servers.Server, PortOwners.Found> served = new LinkedHashMap<>();
    /** The times at which the first and the last reading began, by {@link ObservedProcess#ticksNow}. */
    private long firstTicks = Long.MAX_VALUE;
    private long lastTicks;

    private static final class Member {

        final ObservedProcess process;
        final boolean named;
        final Readings series;
        /** The amounts that ended children had used, which the process's own amounts will include once more when it waits for them. */
        final Map<ProcessFigure, Double> counted = new EnumMap<>(ProcessFigure.class);
        @Nullable Reading last;
        double waitedBefore;

        Member(ObservedProcess process, boolean named, Readings series) {
            this.process = process;
            this.named = named;
            this.series = series;
        }
    }

    /**
     * Creates a source that is not started.
     *
     * @param what the observation, with the processes, or with the servers whose processes are to be found
     * @param found called once with each process of the broker that is found
     */
    ProcSource(Observation what, long machineBytes, LongUnaryOperator next, Readings usage,
            Consumer<ObservedProcess> found, Consumer<String> notice) {
        super("broker", next);
        this.what = what;
        this.machineBytes = machineBytes;
        this.usage = usage;
        this.found = found;
        this.notice = notice;
    }

    /** Returns the processes of the last reading. May be called from any thread. */
    List<Long> pids() {
        synchronized (lock) {
            return lastRead.stream().map(member -> member.process.pid()).toList();
        }
    }

    /** Returns the observed processes, for people. */
    String description() {
        return description;
    }

    @Override
    public boolean read() throws Hopeless {
        if (members.isEmpty()) {
            joinNew();
        }
        if (members.isEmpty() || !waiting().isEmpty()) {
            find();
        }
        if (members.isEmpty()) {
            return false;
        }
        if (readings++ % LOOK_FOR_CHILDREN == 0) {
            findChildren();
        }
        long ticks = ObservedProcess.ticksNow();
        // Parents are read before their children, so that the amounts of a child that ended cannot be counted for the parent while the
        // child can still be read.
        Map<Member, Reading> read = new LinkedHashMap<>();
        List<Member> gone = new ArrayList<>();
        boolean isRenamed = false;
        for (Member member : List.copyOf(members.values())) {
            String name = member.process.name();
            Reading now = member.process.read(members::containsKey);
            isRenamed |= member.named && !name.equals(member.process.name());
            if (now == null) {
                gone.addFirst(member);
            } else {
                read.put(member, now);
            }
        }
        // Children first, so that what was counted of them is known to a parent that is gone, too.
        gone.forEach(this::remove);
        synchronized (lock) {
            hand(read, ticks);
        }
        if (isRenamed) {
            // A process has the name of a shell until it executes its program. Those that are gone stay in the description otherwise.
            describe();
        }
        joinNew();
        return !read.isEmpty();
    }

    /** Passes on a reading of each process, and their sum. */
    private void hand(Map<Member, Reading> read, long ticks) {
        lastRead = List.copyOf(read.keySet());
        Reading sum = null;
        boolean catchingUp = false;
        for (Map.Entry<Member, Reading> each : read.entrySet()) {
            Reading now = each.getValue();
            catchingUp |= grow(each.getKey(), now);
            each.getKey().series.add(now);
            sum = sum == null ? now.or(now) : sum.plus(now);
        }
        if (sum == null) {
            return;
        }
        for (Map.Entry<ProcessFigure, Double> total : totals.entrySet()) {
            if (sum.knows(total.getKey())) {
                sum.set(total.getKey(), total.getValue());
            }
        }
        usage.add(sum, catchingUp);
        firstTicks = Math.min(firstTicks, ticks);
        lastTicks = ticks;
    }

    /** Adds processes that were started in place of others. */
    private void joinNew() {
        Supplier<List<Long>> running = what.running;
        if (!everFound || running == null) {
            return;
        }
        for (long pid : running.get()) {
            ObservedProcess process = members.containsKey(pid) ? null : ObservedProcess.of(pid);
            // A process that executes its program just now has no command line; the next reading finds it.
            if (process != null && !process.commandLine().isEmpty()) {
                add(process, true);
                notice.accept("The broker runs again (pid " + pid + ")");
                describe();
                found.accept(process);
            }
        }
    }

    private void remove(Member member) {
        members.remove(member.process.pid());
        if (member.named && !isClosed()) {
            notice.accept("The broker's process " + member.process.pid() + " is gone");
        }
        Member parent = members.get(member.process.parent());
        Reading last = member.last;
        if (parent != null && last != null) {
            for (ProcessFigure amount : OF_CHILDREN) {
                double had = last.get(amount) + (amount == ProcessFigure.CPU_SECONDS ? member.waitedBefore : 0)
                    + member.counted.getOrDefault(amount, 0.0);
                if (!Double.isNaN(had)) {
                    parent.counted.merge(amount, had, Double::sum);
                }
            }
        }
    }

    /**
     * Adds the usage of a process since its last reading. At its first reading, adds the usage since its start if it was started for the
     * run or began after the first reading of all. Any other process existed before, such as a server that has only now taken over, and its
     * earlier usage does not belong to the run.
     *
     * @return whether any of the usage is older than the last reading of all
     */
    private boolean grow(Member member, Reading now) {
        Reading last = member.last;
        boolean whole = last == null && (what.own || member.process.beganTicks() >= firstTicks);
        if (last == null && !whole) {
            member.waitedBefore = member.process.waitedSeconds();
        }
        Reading before = last != null ? last : whole ? Readings.noGrowth() : now;
        for (ProcessFigure amount : ProcessFigure.AMOUNTS) {
            double grown = now.get(amount) - before.get(amount);
            if (amount == ProcessFigure.SECONDS || Double.isNaN(grown)) {
                continue;
            }
            if (amount == ProcessFigure.CPU_SECONDS) {
                double waited = member.process.waitedSeconds();
                grown += fresh(member, amount, waited - member.waitedBefore);
                member.waitedBefore = waited;
            } else if (OF_CHILDREN.contains(amount)) {
                grown = fresh(member, amount, grown);
            }
            totals.merge(amount, grown, Double::sum);
        }
        member.last = now;
        return whole && member.process.beganTicks() < lastTicks;
    }

    /** Returns the part of a growth that was not already counted while the ended children that it includes were alive. */
    private static double fresh(Member member, ProcessFigure amount, double grown) {
        double again = Math.min(member.counted.getOrDefault(amount, 0.0), grown);
        if (again > 0) {
            member.counted.merge(amount, -again, Double::sum);
        }
        return grown - Math.max(0, again);
    }

    private List<ObservedProcess> named() {
        return members.values().stream().filter(member -> member.named).map(member -> member.process).toList();
    }

    private void add(long pid, boolean named) {
        ObservedProcess process = members.containsKey(pid) ? null : ObservedProcess.of(pid);
        if (process != null) {
            add(process, named);
        }
    }

    private void add(ObservedProcess process, boolean named) {
        members.put(process.pid(), new Member(process, named, new Readings(machineBytes)));
    }

    private void findChildren() {
        long self = ProcessHandle.current().pid();
        for (ObservedProcess process : named()) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> handle.descendants()
                .filter(child -> child.pid() != self).forEach(child -> add(child.pid(), false)));
        }
    }

    /** Returns the servers of this machine where no process listened, or whose processes are gone. */
    private Map<Servers.Server, List<InetAddress>> waiting() {
        Map<Servers.Server, List<InetAddress>> waiting = new LinkedHashMap<>();
        for (PortOwners.Found found : served.values()) {
            if (!found.listens() || !found.pids().isEmpty() && found.pids().stream().noneMatch(members::containsKey)) {
                waiting.put(found.server(), found.addresses());
            }
        }
        return waiting;
    }

    private void find() throws Hopeless {
        long now = System.nanoTime();
        if (searched && now - searchedAt < LOOK_AGAIN) {
            return;
        }
        searched = true;
        searchedAt = now;
        Set<Long> before = Set.copyOf(members.keySet());
        if (what.pids.isEmpty()) {
            findListeners();
        } else if (!everFound) {
            what.pids.forEach(pid -> add(pid, true));
        } else if (what.running == null) {
            throw new Hopeless();
        }
        List<ObservedProcess> fresh = named().stream().filter(process -> !before.contains(process.pid())).toList();
        if (fresh.isEmpty()) {
            return;
        }
        describe();
        if (everFound) {
            notice.accept(before.isEmpty() ? "The broker runs again: " + description
                : "A process of the broker listens now: " + described(fresh));
        }
        everFound = true;
        fresh.forEach(found);
    }

    /** Finds the processes that listen for the servers. Resolves host names as long as there is no process to read. */
    private void findListeners() throws Hopeless {
        List<PortOwners.Found> search = members.isEmpty() ? PortOwners.of(what.servers) : PortOwners.of(waiting());
        if (search.isEmpty() && members.isEmpty()) {
            throw new Hopeless();
        }
        search.forEach(found -> {
            served.put(found.server(), found);
            found.pids().forEach(pid -> add(pid, true));
        });
        String trouble = PortOwners.Found.trouble(search);
        // A broker that was seen before and is gone will come back in time; the notice of its end was enough.
        if (trouble != null && !everFound) {
            notice.accept((members.isEmpty() ? "The process of the broker is not known, because " + trouble + "; name it with "
                : "Not all processes of the broker are known, because " + trouble + "; name them with ")
                + what.names.apply(Setting.BROKER_PID));
        }
    }

    /** Returns the index of the server by which a process was found; -1 for none. Called within a reading. */
    int place(ObservedProcess process) {
        return served.values().stream().filter(found -> found.pids().contains(process.pid())).findFirst()
            .map(found -> what.servers.indexOf(found.server())).orElse(-1);
    }

    private void describe() {
        description = described(named());
    }

    private static String described(List<ObservedProcess> processes) {
        return processes.stream().map(p -> p.name() + " (pid " + p.pid() + ")").collect(Collectors.joining(", "));
    }

    /**
     * The usage since the last call.
     *
     * @param total the sum of all processes; null when there was no new reading
     * @param parts the usage of each process, if there are several
     */
    record Taken(@Nullable Reading total, List<BrokerSample.Part> parts) {

        static final Taken NOTHING = new Taken(null, List.of());
    }

    /** Returns the total and the parts of the same readings. May be called from any thread. */
    Taken take() {
        List<BrokerSample.Part> parts = new ArrayList<>();
        synchronized (lock) {
            Reading total = usage.take();
            if (total == null) {
                return Taken.NOTHING;
            }
            for (Member member : lastRead.size() > 1 ? lastRead : List.<Member>of()) {
                Reading taken = member.series.take();
                if (taken != null) {
                    parts.add(new BrokerSample.Part(member.process.name(), member.process.pid(), taken.usage()));
                }
            }
            return new Taken(total, parts.size() > 1 ? parts : List.of());
        }
    }
}
