package io.brokermeter.engine.finding;

import org.jspecify.annotations.Nullable;

/** What findings say of who or what caused what they report: a part of {@link Finding}, through which its types are named. */
public interface Culprits {

    /** The cause that kept messages from being sent in time. */
    enum Blame {
        GARBAGE_COLLECTION, CPU_LIMIT, STOLEN_CPU, STARVED, CONNECTIONS_LOST, PRODUCERS_RESTED, CALLS_WAITED, SLOW_BROKER, SLOW_SENDERS,
        ROUND_TRIP,
        /** The process was stopped, or its machine stood still, and it is not known why. */
        STOPPED,
        /** Own waits made up a part of the time until a confirmation that is neither small nor most of it. */
        NOT_TOLD_APART;

        /** Returns whether the generator or its machine may have been the limit. */
        public boolean isOfGenerator() {
            return switch (this) {
                case GARBAGE_COLLECTION, CPU_LIMIT, STOLEN_CPU, STARVED, SLOW_SENDERS, STOPPED, NOT_TOLD_APART -> true;
                case CONNECTIONS_LOST, PRODUCERS_RESTED, CALLS_WAITED, SLOW_BROKER, ROUND_TRIP -> false;
            };
        }

        /** Returns whether the generator or its machine is known to have been the limit. */
        public boolean invalidates() {
            return isOfGenerator() && this != NOT_TOLD_APART;
        }

        /** Returns whether the broker was slow or lost. */
        public boolean isOfBroker() {
            return this == CONNECTIONS_LOST || this == CALLS_WAITED || this == SLOW_BROKER;
        }
    }

    /**
     * The reason of another finding.
     *
     * @param share share of the time that the cause took, for waits of sending threads that of the threads that missed the rate; NaN if
     *     unknown
     * @param roundTripMillis time that the network of the run adds to a round trip; 0 if that is not the reason
     */
    record Reason(Blame blame, double share, @Nullable CpuUse cpuUse, double roundTripMillis) {

        /** Creates a reason that has nothing to do with a round trip. */
        public Reason(Blame blame, double share, @Nullable CpuUse cpuUse) {
            this(blame, share, cpuUse, 0);
        }
    }

    /** The use of the machine's processors, in percent of all of them; {@code brokerPercent} is NaN if unknown. */
    record CpuUse(double busyPercent, double generatorPercent, double brokerPercent, double othersPercent) {}
}
