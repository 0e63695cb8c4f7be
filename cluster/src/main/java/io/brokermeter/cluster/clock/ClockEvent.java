package io.brokermeter.cluster.clock;

import java.net.InetSocketAddress;

/** What a {@link ProbeClient} reports while it runs. */
public sealed interface ClockEvent {

    /** One sentence for people. */
    String sentence();

    /** UDP leads nowhere, TCP does. Bounds are wider by what TCP makes wait. */
    record OverTcp(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock does not answer by UDP at " + ProbeClient.text(server)
                + ": its probes go by TCP to the same port, with wider bounds.";
        }
    }

    /** UDP leads to the coordinator again. */
    record OverUdp(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock answers by UDP at " + ProbeClient.text(server) + " again.";
        }
    }

    /** Nothing came for some time, neither way: the bound grows with the time since. */
    record Silent(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock answers at " + ProbeClient.text(server) + " neither by UDP nor by TCP.";
        }
    }

    /**
     * A clock stepped.
     *
     * @param since when the probes began, by the agent's clock
     */
    record Stepped(ClockStep step, long since) implements ClockEvent {
        @Override
        public String sentence() {
            return step.sentence(since);
        }
    }
}
