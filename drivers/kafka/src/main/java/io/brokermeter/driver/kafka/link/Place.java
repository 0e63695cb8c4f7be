package io.brokermeter.driver.kafka.link;

import org.jspecify.annotations.Nullable;

/**
 * A partition with the connection to its leader. Guarded by the lock of the producer or consumer.
 *
 * @param <L> the kind of connection
 */
public abstract class Place<L> {

    public final int partition;
    /** Whether a connection to its leader is needed. */
    final boolean used;
    /** The connection to the leader; null while there is none. */
    public volatile @Nullable L link;
    /** The number of the leader's node, -1 if it is not known. */
    int leader = -1;

    protected Place(int partition, boolean used) {
        this.partition = partition;
        this.used = used;
    }
}
