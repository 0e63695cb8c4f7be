package io.brokermeter.brokers.observe;

import java.util.ArrayList;
import java.util.EnumMap;
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
    private final Map<Figure, Double> totals = new EnumMap<>(Figure.class);

    /** @param gone is told the id of each named process that has ended */
    ProcessGroup(LongConsumer gone) {
        this.gone = gone;
    }

    /** @param reading null as long as it was not read */
    private record Member(ObservedProcess process, boolean named, @Nullable Reading reading) {}

    /** One process at one reading. */
    record Single(long pid, String name, Reading reading) {}

    /**
     * All at one reading.
     *
     * @param sum null when no process is left
     */
    record All(@Nullable Reading sum, List<Single> singles) {}

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
        Reading sum = null;
        List<Single> singles = new ArrayList<>();
        for (Member member : List.copyOf(members.values())) {
            long pid = member.process.pid();
            Reading now = member.process.read();
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
            sum = sum == null ? now.or(now) : sum.plus(now);
        }
        if (sum != null) {
            for (Map.Entry<Figure, Double> total : totals.entrySet()) {
                if (sum.knows(total.getKey())) {
                    sum.set(total.getKey(), total.getValue());
                }
            }
        }
        return new All(sum, singles);
    }

    /** The first reading counts from the begin of the process: whoever reads the amounts takes differences. */
    private void grow(@Nullable Reading before, Reading now) {
        for (Figure amount : Figure.AMOUNTS) {
            double grown = now.get(amount) - (before == null ? 0 : before.get(amount));
            if (amount != Figure.SECONDS && !Double.isNaN(grown)) {
                totals.merge(amount, grown, Double::sum);
            }
        }
    }

    private void findChildren() {
        long self = ProcessHandle.current().pid();
        for (ObservedProcess process : named()) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> handle.descendants()
                .filter(child -> child.pid() != self).forEach(child -> add(child.pid(), false)));
        }
    }
}
