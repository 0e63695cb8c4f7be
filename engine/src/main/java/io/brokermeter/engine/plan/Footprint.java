package io.brokermeter.engine.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/**
 * An estimate of the memory that a run takes before its first message is delivered, in bytes, so that a run that does not fit is
 * refused before anything connects instead of failing in the middle.
 *
 * @param windows what the producers keep of messages in flight
 * @param bodies the arrays in which messages are made
 * @param ledger the sets of sequence numbers: one for each producer, and one for each producer whose messages a subscription gets
 * @param times the cells for samples: for each group and phase, whatever the number of producers and consumers
 * @param endpoints the objects of producers and consumers
 * @param clients what the clients take of the heap for their connections
 * @param direct what the clients take outside the heap for their connections, which has the same limit of its own
 */
record Footprint(long windows, long bodies, long ledger, long times, long endpoints, long clients, long direct) {

    /** The bytes of a message in flight: its intended and actual send time and its token. */
    private static final long WINDOW_PLACE = 24;
    /** The bytes of the first page of a set and of the directory that leads to it. */
    private static final long SET = 4_400;
    /** The bytes for times of a group in a phase: cells of 17 magnitudes, as from 10 us to 1 s, for each of three metrics. */
    private static final long TIMES = 3 * 17 * 8_192;
    private static final long HISTOGRAM = 3 * 270_000;
    private static final long ENDPOINT = 2_500;
    private static final long MEBI = 1 << 20;
    /** The largest number of polling consumers, each of which polls on a thread of its own. */
    private static final int MOST_POLLING = 2_000;

    static Footprint of(Plan plan) {
        int producers = plan.producerCount();
        long windows = 0;
        long bodies = 0;
        Map<Integer, Long> writers = new HashMap<>();
        for (ProducerGroup group : plan.producers()) {
            long places = Long.highestOneBit(Math.max(1, group.spec().window(producers) - 1)) * 2;
            windows += group.producers().size() * places * WINDOW_PLACE;
            bodies += group.producers().size() * group.stock().bytes();
            if (!group.spec().messages().bare()) {
                group.producers().forEach(p -> writers.merge(p.destinationIndex(), 1L, Long::sum));
            }
        }
        long sets = writers.values().stream().mapToLong(Long::longValue).sum();
        long consumers = 0;
        Set<Integer> seen = new HashSet<>();
        for (ConsumerGroup group : plan.consumers()) {
            consumers += group.consumers().size();
            for (ConsumerPlan c : group.consumers()) {
                if (group.requesters() == null && seen.add(c.subscription())) {
                    sets += writers.getOrDefault(c.destinationIndex(), 0L);
                }
            }
        }
        long clients = 0;
        long direct = 0;
        for (Group group : plan.groups()) {
            ConnectionMemory each = group.driver().memory(group.endpoint().settings());
            long largest = group instanceof ProducerGroup sent ? sent.stock().longest()
                : ((ConsumerGroup) group).consumers().stream().mapToInt(c -> c.settings().messageBytes()).max().orElse(0);
            clients += group.connections() * (each.heap() + each.heapCopies() * largest);
            direct += group.connections() * (each.direct() + each.directCopies() * largest);
        }
        int groups = plan.producers().size() + plan.consumers().size();
        int phases = Math.max(1, plan.scenario().phases().size()) + 2;
        return new Footprint(windows, bodies, sets * SET, groups * phases * TIMES + (groups + phases) * HISTOGRAM,
            (producers + consumers) * ENDPOINT, clients, direct);
    }

    private long bytes() {
        return windows + bodies + ledger + times + endpoints + clients;
    }

    /**
     * Refuses a plan that has too many polling consumers or does not fit into three quarters of the memory.
     *
     * @param memory maximum memory of the JVM, in bytes
     */
    static void check(Plan plan, long memory) {
        long polling = plan.consumers().stream().filter(group -> group.spec().polling()).mapToLong(group -> group.consumers().size()).sum();
        if (polling > MOST_POLLING) {
            throw new UsageException(
                "%,d consumers with %s are more than %,d, since each of them is asked by a thread of its own; take fewer, or "
                    + "leave %2$s out.",
                polling, Setting.POLLING, MOST_POLLING);
        }
        Footprint need = of(plan);
        long most = memory / 4 * 3;
        if (need.direct <= most && need.bytes() <= most) {
            return;
        }
        Object producers = Counted.of(plan.producerCount(), "producer");
        Object consumers = Counted.of(plan.consumers().stream().mapToLong(group -> group.consumers().size()).sum(), "consumer");
        if (need.direct > most) {
            throw new UsageException(
                "%s and %s on %s need about %,d MiB of buffers outside the heap, more than %,d MiB, three quarters of what"
                    + " the JVM allows; use fewer connections or smaller messages, or give more with JAVA_ARGS=-Xmx%dg or so.",
                producers,
                consumers, Counted.of(plan.groups().stream().mapToLong(Group::connections).sum(), "connection"), need.direct / MEBI,
                most / MEBI, need.direct * 4 / 3 / (1 << 30) + 1);
        }
        throw new UsageException("%s and %s need about %,d MiB (messages in flight %,d, bodies %,d, ledger %,d, "
            + "times by group and phase %,d, connections %,d, the rest %,d), more than %,d MiB, three quarters of the memory there is; %s, or give more with "
            + "JAVA_ARGS=-Xmx%dg or so.", producers, consumers, need.bytes() / MEBI, need.windows / MEBI, need.bodies / MEBI,
            need.ledger / MEBI, need.times / MEBI, need.clients / MEBI, need.endpoints / MEBI, most / MEBI, need.remedy(),
            need.bytes() * 4 / 3 / (1 << 30) + 1);
    }

    /** Returns the advice that makes the largest part smaller. */
    private Object remedy() {
        long largest = Math.max(Math.max(windows, bodies), Math.max(Math.max(ledger, times), Math.max(endpoints, clients)));
        return largest == windows ? new Refusal("lower %s", Setting.MAX_PENDING) : largest == bodies ? "make the messages smaller"
            : largest == times ? "use fewer groups or phases" : largest == ledger
                ? new Refusal("use fewer producers and subscriptions on one destination, or %s", Setting.MESSAGE_BARE)
                : largest == clients ? "use fewer connections or smaller messages" : "use fewer of them";
    }
}
