package io.brokermeter.engine.plan;

import java.util.BitSet;

/**
 * The part of a plan that one process runs, where several run it together. All of them make the same plan; each runs the producers and
 * consumers of its own share. An event of a schedule belongs to a producer by its stripe, so the sum over all shares is exact whoever runs what.
 *
 * @param number of the share, from 0
 * @param producers {@linkplain ProducerPlan#index numbers} of its producers
 * @param consumers {@linkplain ConsumerPlan#index numbers} of its consumers, those of the replies to its producers among them
 */
public record Share(int number, BitSet producers, BitSet consumers) {

    /** A whole plan, for the only process. */
    public static Share whole(Plan plan) {
        Share all = new Share(0, new BitSet(), new BitSet());
        plan.producers().forEach(group -> group.producers().forEach(p -> all.producers.set(p.index())));
        plan.consumers().forEach(group -> group.consumers().forEach(c -> all.consumers.set(c.index())));
        return all;
    }

    /** Whether a producer belongs to it. */
    public boolean has(ProducerPlan producer) {
        return producers.get(producer.index());
    }

    /** Whether a consumer belongs to it. */
    public boolean has(ConsumerPlan consumer) {
        return consumers.get(consumer.index());
    }

    /** Whether there is nothing in it to run. */
    public boolean isEmpty() {
        return producers.isEmpty() && consumers.isEmpty();
    }
}
