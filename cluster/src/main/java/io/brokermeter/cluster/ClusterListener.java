package io.brokermeter.cluster;

/**
 * Is notified of what happens in a cluster. All calls come one after the other from one thread of the {@link Cluster}; while one lasts, messages are
 * held back at their senders as soon as some megabytes wait here. A member's messages come between its {@link #joined} and its {@link #left},
 * in the order in which they were sent.
 */
public interface ClusterListener {

    /** In a coordinator an agent joined, in an agent its coordinator. */
    void joined(Member member);

    /** It may come back later, as another member. */
    void left(Member member, Departure why);

    void message(Member from, String json);

    /** Somebody was not let in, or did not let this process in. */
    void refused(PeerRefusal refusal);
}
