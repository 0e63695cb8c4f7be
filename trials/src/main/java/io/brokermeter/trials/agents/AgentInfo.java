package io.brokermeter.trials.agents;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

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

    /** The components of an agent by name, for {@link #of(Consumer)}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked once all are set
    public static final class Values {

        public String name;
        public String host;
        public String member;
        public Map<String, String> labels = Map.of();
        public boolean sameClock;
        public int processors = 1;

        private Values() {}
    }

    /** Creates an agent from the values that {@code change} sets. */
    public static AgentInfo of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new AgentInfo(Objects.requireNonNull(its.name, "name"), Objects.requireNonNull(its.host, "host"),
            Objects.requireNonNull(its.member, "member"), its.labels, its.sameClock, its.processors);
    }
}
