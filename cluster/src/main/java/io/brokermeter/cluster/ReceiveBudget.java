package io.brokermeter.cluster;

/**
 * The bounds of messages that wait for the listener: one for each member, and one for all members together, so that a coordinator needs no
 * more memory for many agents. A member of which nothing waits may always add one message, so none of them is kept out. Thread-safe.
 */
final class ReceiveBudget {

    /** The most bytes of messages of all members that wait, except for a single message of each. */
    static final long MOST = 32L << 20;
    /** The most bytes of messages of one member that wait; a single message always may. */
    static final long MOST_OF_ONE = 4L << 20;

    private long waiting;

    /** The messages of one member. */
    final class Part {

        private long own;
        private boolean closed;

        /**
         * Blocks until there is room for a message, which waits then.
         *
         * @return false if the member is gone; the message does not wait then
         */
        boolean await(int bytes) throws InterruptedException {
            synchronized (ReceiveBudget.this) {
                while (!closed && own > 0 && (own + bytes > MOST_OF_ONE || waiting + bytes > MOST)) {
                    ReceiveBudget.this.wait();
                }
                if (closed) {
                    return false;
                }
                own += bytes;
                waiting += bytes;
                return true;
            }
        }

        /** Notes that the listener has taken a message. */
        void taken(int bytes) {
            synchronized (ReceiveBudget.this) {
                own -= bytes;
                waiting -= bytes;
                ReceiveBudget.this.notifyAll();
            }
        }

        /** Adds no messages any more, since the member is gone. Those that wait still have to be taken. */
        void close() {
            synchronized (ReceiveBudget.this) {
                closed = true;
                ReceiveBudget.this.notifyAll();
            }
        }
    }
}
