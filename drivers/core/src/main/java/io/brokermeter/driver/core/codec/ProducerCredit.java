package io.brokermeter.driver.core.codec;

/**
 * The bytes that a producer may still send, as Artemis' client counts them: it asks for half a window at a time, and again when what is left
 * and what is on its way is no more than that, so that a whole window is granted at the beginning. Guarded by the connection's lock.
 */
final class ProducerCredit {

    private final int step;
    private final boolean limited;
    private int balance;
    private int arriving;
    private boolean refused;

    /** @param window the producer's window in bytes, -1 for no limit */
    ProducerCredit(int window) {
        this.limited = window >= 0;
        this.step = window / 2;
    }

    /** Returns how many bytes to ask the broker for before so many are sent; 0 for none. They count as asked for. */
    int ask(int bytes) {
        int needed = Math.max(bytes, step);
        if (!limited || balance + arriving > needed) {
            return 0;
        }
        int asked = Math.max(0, needed - arriving);
        arriving += asked;
        return asked;
    }

    /** Returns how many bytes to ask for at the beginning; they count as asked for. */
    int first() {
        return ask(step);
    }

    boolean covers(int bytes) {
        return !limited || balance >= bytes;
    }

    void use(int bytes) {
        if (limited) {
            balance -= bytes;
        }
    }

    /** @param full whether the broker refuses messages since the address is full, instead of granting credit */
    void arrived(int bytes, boolean full) {
        balance += bytes;
        arriving -= bytes;
        refused |= full;
    }

    /** Returns whether the broker refuses messages; then all credit is gone, and the next message asks again. */
    boolean takeRefusal() {
        boolean was = refused;
        if (was) {
            refused = false;
            balance = 0;
            arriving = 0;
        }
        return was;
    }
}
