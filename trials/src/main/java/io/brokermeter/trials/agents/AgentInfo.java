package io.brokermeter.trials.agents;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An agent that is there.
 *
 * @param name by which people know it
 * @param host where it is, as the user wrote it
 * @param member by which messages reach it
 * @param sameClock whether it reads the coordinator's monotonic clock
 * @param processors logical processors that it may use
 */
public record AgentInfo(String name, String host, String member, Map<String, String> labels, boolean sameClock,
        int processors) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public String name;
        public String host;
        public String member;
        public Map<String, String> labels = Map.of();
        public boolean sameClock;
        public int processors = 1;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static AgentInfo of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new AgentInfo(Objects.requireNonNull(its.name, "name"), Objects.requireNonNull(its.host, "host"),
            Objects.requireNonNull(its.member, "member"), its.labels, its.sameClock, its.processors);
    }
}
