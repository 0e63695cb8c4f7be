package io.brokermeter.contract;

import java.util.EnumSet;
import java.util.Set;

/** What a broker does with its client, or does not; every one but the last two is taken for granted. */
public enum BrokerTrait {
    /** A queue keeps what nobody is there to receive. Where it does not, tests open a consumer before they send. */
    QUEUES_KEEP_MESSAGES,
    /** The broker has a message until it is acknowledged, so that what nobody acknowledged comes again. */
    KEEPS_UNTIL_ACKNOWLEDGED,
    /** What one producer sent is delivered in the order in which it was sent. */
    ORDER,
    /** What a transaction had taken when the connection broke comes again in the order in which it was sent. */
    ORDERS_WHAT_A_CUT_GIVES_BACK,
    /** Each of several waiting consumers gets a part of a short run. */
    SHARES_SHORT_RUNS,
    /** The protocol has messages with an empty body. */
    EMPTY_BODIES,
    /** Two waiting consumers of a queue each get all messages of a group, or none of them. */
    GROUPS_STAY_TOGETHER,
    /** A backlog comes in the order of priority from a destination of {@link BrokerUnderTest#prioritising()}. */
    ORDERS_BY_PRIORITY,
    /** The broker says that it delivered a message before, when the connection broke under the first try. */
    FLAGS_REDELIVERY_AFTER_A_CUT,
    /** The broker says that it delivered a message before, when its consumer gave it back. */
    FLAGS_WHAT_WAS_GIVEN_BACK,
    /** {@link io.brokermeter.spi.Connection#delete} deletes a queue. */
    DELETES,
    /** The client can be set to trust every certificate. */
    TRUSTS_ALL,
    /** An encrypted connection begins with TLS; no greeting of the broker comes before it. */
    TLS_FIRST,
    /** {@link io.brokermeter.spi.Producer#stallReason()} says that the broker grants no credit. */
    TELLS_MISSING_CREDIT,
    /** The client always repairs a broken connection by itself, so that cutting the wire ends nothing. */
    REPAIRS_EVERY_CUT;

    /** What is taken for granted. */
    public static Set<BrokerTrait> usual() {
        return EnumSet.complementOf(EnumSet.of(TELLS_MISSING_CREDIT, REPAIRS_EVERY_CUT));
    }
}
