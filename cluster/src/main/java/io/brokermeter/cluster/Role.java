package io.brokermeter.cluster;

/** The role of a process in a cluster. */
public enum Role {
    /** Carries a part of the load; waits to be called by a coordinator. */
    AGENT,
    /** Makes the plan, calls the agents and merges their results. An agent has at most one coordinator at a time. */
    COORDINATOR
}
