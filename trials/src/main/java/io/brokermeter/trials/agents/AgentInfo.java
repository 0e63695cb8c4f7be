package io.brokermeter.trials.agents;

import java.util.Map;

/**
 * An agent that is there.
 *
 * @param name by which people know it
 * @param member by which messages reach it
 * @param sameClock whether it reads the coordinator's monotonic clock
 * @param processors logical processors that it may use
 */
public record AgentInfo(String name, String member, Map<String, String> labels, boolean sameClock, int processors) {}
