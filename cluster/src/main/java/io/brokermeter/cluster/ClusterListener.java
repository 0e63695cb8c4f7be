package io.brokermeter.cluster;

/**
 * Receives the events of a cluster. All calls come one after the other from one thread of the {@link Cluster}; while a call lasts, messages
 * are held back at their senders as soon as some megabytes wait here. The messages of a member are delivered between its {@link #joined}
 * and its {@link #left}, in the order in which they were sent.
 */
public interface ClusterListener {

    /** Called when a member joined: in a coordinator an agent, in an agent its coordinator. */
    void joined(Member member);

    /** Called when a member is gone. Its process may come back later, as another member. */
    void left(Member member, Departure why);

    void message(Member from, String json);

    /** Called when this process refused another one or a message of it, or was refused by another one. */
    void refused(PeerRefusal refusal);
}
