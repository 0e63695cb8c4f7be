package io.brokermeter.contract;

import java.util.EnumSet;
import java.util.Set;

/** A trait of a broker together with its client. All traits but the last two are usual. */
public enum BrokerTrait {
    /** A queue keeps messages while it has no consumer. Where it does not, tests open a consumer before they send. */
    QUEUES_KEEP_MESSAGES,
    /** The broker keeps a message until it is acknowledged, so that messages that were not acknowledged are delivered again. */
    KEEPS_UNTIL_ACKNOWLEDGED,
    /** Messages of one producer are delivered in the order in which they were sent. */
    ORDER,
    /** Messages that a transaction had received when the connection broke are redelivered in the order in which they were sent. */
    ORDERS_WHAT_A_CUT_GIVES_BACK,
    /** Each of several waiting consumers receives some messages even of a short run. */
    SHARES_SHORT_RUNS,
    /** The protocol supports messages with an empty body. */
    EMPTY_BODIES,
    /** One of two waiting consumers of a queue receives all messages of a group, and the other none. */
    GROUPS_STAY_TOGETHER,
    /** A backlog in a destination of {@link BrokerUnderTest#prioritising()} is delivered in the order of priority. */
    ORDERS_BY_PRIORITY,
    /** The broker flags a message as redelivered if the connection broke during the first delivery. */
    FLAGS_REDELIVERY_AFTER_A_CUT,
    /** The broker flags a message as redelivered if its consumer requeued it. */
    FLAGS_WHAT_WAS_GIVEN_BACK,
    /** A cut of the wire ends the connection, unless its settings ask for more: the client does not restore it by itself. */
    ENDS_BY_A_CUT,
    /** {@link io.brokermeter.spi.Connection#delete} deletes a queue. */
    DELETES,
    /** The client can be configured to trust every certificate. */
    TRUSTS_ALL,
    /** An encrypted connection begins with TLS, without a greeting of the broker before. */
    TLS_FIRST,
    /**
     * Of several servers the client leaves one that accepts its connection and is silent, or ends it, while there is time to connect to
     * another one.
     */
    LEAVES_A_SILENT_SERVER,
    /** {@link io.brokermeter.spi.Producer#stallReason()} reports that the broker grants no credit. */
    TELLS_MISSING_CREDIT,
    /** A broker that a test has killed can be started again. */
    STARTS_AGAIN;

    /** Returns the traits that a broker usually has. */
    public static Set<BrokerTrait> usual() {
        return EnumSet.complementOf(EnumSet.of(TELLS_MISSING_CREDIT, STARTS_AGAIN));
    }
}
