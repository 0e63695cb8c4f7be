package io.brokermeter.engine.plan;

import java.util.BitSet;

/**
 * The part of a plan that one process runs, where several processes run it together. All of them make the same plan; each runs the
 * producers and consumers of its own share. An event of a schedule belongs to a producer by its stripe, so the sum over all shares is
 * exact, whichever process runs which producer.
 *
 * @param number number of the share, from 0
 * @param producers {@linkplain ProducerPlan#index numbers} of the producers
 * @param consumers {@linkplain ConsumerPlan#index numbers} of the consumers, among them those of the replies to the producers
 */
public record Share(int number, BitSet producers, BitSet consumers) {

    /** Returns a share that contains a whole plan, for a run in one process. */
    public static Share whole(Plan plan) {
        Share all = new Share(0, new BitSet(), new BitSet());
        plan.producers().forEach(group -> group.producers().forEach(p -> all.producers.set(p.index())));
        plan.consumers().forEach(group -> group.consumers().forEach(c -> all.consumers.set(c.index())));
        return all;
    }

    /** Returns whether a producer belongs to this share. */
    public boolean has(ProducerPlan producer) {
        return producers.get(producer.index());
    }

    /** Returns whether a consumer belongs to this share. */
    public boolean has(ConsumerPlan consumer) {
        return consumers.get(consumer.index());
    }

    /** Returns the numbers of the connections of a group that this share uses. */
    public BitSet connections(Group group) {
        BitSet used = new BitSet();
        switch (group) {
            case ProducerGroup of -> of.producers().stream().filter(this::has).forEach(p -> used.set(p.connection()));
            case ConsumerGroup of -> of.consumers().stream().filter(this::has).forEach(c -> used.set(c.connection()));
        }
        return used;
    }

    /** Returns whether this share contains nothing to run. */
    public boolean isEmpty() {
        return producers.isEmpty() && consumers.isEmpty();
    }
}
