package io.brokermeter.cluster.clock;

import java.net.InetSocketAddress;

/** An event that a {@link ProbeClient} reports while it runs. */
public sealed interface ClockEvent {

    /** Returns one sentence for people. */
    String sentence();

    /** The server does not answer over UDP, but does over TCP. Bounds are wider by the delays that TCP adds. */
    record OverTcp(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock does not answer by UDP at " + ProbeClient.text(server)
                + ": its probes go by TCP to the same port, with wider bounds.";
        }
    }

    /** The server answers over UDP again. */
    record OverUdp(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock answers by UDP at " + ProbeClient.text(server) + " again.";
        }
    }

    /** Nothing was received for some time, over neither protocol: the bound grows with the time since. */
    record Silent(InetSocketAddress server) implements ClockEvent {
        @Override
        public String sentence() {
            return "The coordinator's clock answers at " + ProbeClient.text(server) + " neither by UDP nor by TCP.";
        }
    }

    /**
     * A clock stepped.
     *
     * @param since the moment at which the probes began, by the agent's clock
     */
    record Stepped(ClockStep step, long since) implements ClockEvent {
        @Override
        public String sentence() {
            return step.sentence(since);
        }
    }
}
