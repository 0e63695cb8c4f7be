package io.brokermeter.trials.agents;

import java.util.Map;

/**
 * An agent that is there.
 *
 * @param name by which people know it
 * @param host where it is, as the user wrote it
 * @param member by which messages reach it
 * @param machine identifies the machine; empty when that is not known
 * @param sameClock whether it reads the coordinator's monotonic clock
 * @param processors logical processors that it may use
 */
public record AgentInfo(String name, String host, String member, Map<String, String> labels, String machine, boolean sameClock,
        int processors) {}
