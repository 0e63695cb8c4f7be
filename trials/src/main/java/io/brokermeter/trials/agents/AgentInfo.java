package io.brokermeter.trials.agents;

import java.util.Map;

/**
 * An agent that is there.
 *
 * @param name the name for users
 * @param host its host, as the user wrote it; its address when the user named none
 * @param member id of the member to which messages are sent
 * @param sameClock whether it reads the coordinator's monotonic clock
 * @param processors number of logical processors that it may use
 */
public record AgentInfo(String name, String host, String member, Map<String, String> labels, boolean sameClock,
        int processors) {

}
