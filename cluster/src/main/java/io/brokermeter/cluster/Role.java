package io.brokermeter.cluster;

/** What a process does in a cluster. */
public enum Role {
    /** Carries a part of the load; waits to be called by a coordinator. */
    AGENT,
    /** Makes the plan, calls the agents and brings their results together. There is at most one at a time for an agent. */
    COORDINATOR
}
