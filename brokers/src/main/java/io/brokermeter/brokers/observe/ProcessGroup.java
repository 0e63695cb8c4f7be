package io.brokermeter.brokers.observe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;

/**
 * The processes of a broker: those that were named, and their children as they come and go. Amounts only grow, since
 * what a process used stays counted when it is gone. Used by one thread.
 */
final class ProcessGroup {

    /** How many readings a new child may go unseen: looking for children reads a file of every process there is. */
    private static final int LOOK_FOR_CHILDREN = 5;

    private final Map<Long, Member> members = new LinkedHashMap<>();
    private final LongConsumer gone;
    private int readings;
    private double cpuSeconds;
    private long diskRead;
    private long diskWritten;
    private long voluntary;
    private long involuntary;

    /** @param gone is told the id of each named process that has ended */
    ProcessGroup(LongConsumer gone) {
        this.gone = gone;
    }

    /** @param reading null as long as it was not read */
    private record Member(ObservedProcess process, boolean named, @Nullable UsageReading reading) {}

    /** One process at one reading. */
    record Single(long pid, String name, UsageReading reading) {}

    /**
     * All at one reading.
     *
     * @param sum null when no process is left
     */
    record All(@Nullable UsageReading sum, List<Single> singles) {}

    /** Adds a process; false when there is none of that id. */
    boolean add(long pid) {
        return add(pid, true);
    }

    private boolean add(long pid, boolean named) {
        if (members.containsKey(pid)) {
            return true;
        }
        ObservedProcess process = ObservedProcess.of(pid);
        if (process == null) {
            return false;
        }
        members.put(pid, new Member(process, named, null));
        return true;
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    /** The processes that were named and live. */
    List<ObservedProcess> named() {
        return members.values().stream().filter(Member::named).map(Member::process).toList();
    }

    All read() {
        if (readings++ % LOOK_FOR_CHILDREN == 0) {
            findChildren();
        }
        UsageReading sum = null;
        List<Single> singles = new ArrayList<>();
        for (Member member : List.copyOf(members.values())) {
            long pid = member.process.pid();
            UsageReading now = member.process.read();
            if (now == null) {
                members.remove(pid);
                if (member.named) {
                    gone.accept(pid);
                }
                continue;
            }
            grow(member.reading, now);
            members.put(pid, new Member(member.process, member.named, now));
            singles.add(new Single(pid, member.process.name(), now));
            sum = sum == null ? now : sum.plus(now);
        }
        return new All(sum == null ? null : new UsageReading(sum.nanos(), cpuSeconds, sum.residentBytes(), sum.threads(),
            sum.openFiles(), sum.diskReadBytes() < 0 ? -1 : diskRead, sum.diskWrittenBytes() < 0 ? -1 : diskWritten,
            voluntary, involuntary), singles);
    }

    /** The first reading counts from the begin of the process: whoever reads the amounts takes differences. */
    private void grow(@Nullable UsageReading before, UsageReading now) {
        cpuSeconds += now.cpuSeconds() - (before == null ? 0 : before.cpuSeconds());
        diskRead = grown(diskRead, before == null ? 0 : before.diskReadBytes(), now.diskReadBytes());
        diskWritten = grown(diskWritten, before == null ? 0 : before.diskWrittenBytes(), now.diskWrittenBytes());
        voluntary = grown(voluntary, before == null ? 0 : before.voluntarySwitches(), now.voluntarySwitches());
        involuntary = grown(involuntary, before == null ? 0 : before.involuntarySwitches(), now.involuntarySwitches());
    }

    private static long grown(long total, long before, long now) {
        return before < 0 || now < 0 ? total : total + now - before;
    }

    private void findChildren() {
        long self = ProcessHandle.current().pid();
        for (ObservedProcess process : named()) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> handle.descendants()
                .filter(child -> child.pid() != self).forEach(child -> add(child.pid(), false)));
        }
    }
}
