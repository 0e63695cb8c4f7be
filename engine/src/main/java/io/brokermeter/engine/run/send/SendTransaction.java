package io.brokermeter.engine.run.send;

/** The open transaction of a producer that sends in transactions. Used by the sending thread; others may read an older {@link #open}. */
final class SendTransaction {

    /** Number of messages after which a transaction ends. */
    final int interval;
    /** Number of messages in the open transaction. */
    int open;
    /** The token of the first message of the transaction. */
    long from;
    private final double rollbackShare;
    private final RandomDraw random;

    SendTransaction(int interval, double rollbackShare, long seed) {
        this.interval = interval;
        this.rollbackShare = rollbackShare;
        this.random = new RandomDraw(seed);
    }

    /** Returns whether the transaction that ends now is rolled back on purpose. */
    boolean isRolledBack() {
        return rollbackShare > 0 && random.chance(rollbackShare);
    }
}
