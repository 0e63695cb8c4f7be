package io.brokermeter.contract;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.ConnectionListener;

/** Records the events of a connection. Thread-safe. */
public final class ConnectionLog implements ConnectionListener {

    private final List<Throwable> losses = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private int interruptions;
    private int resumptions;

    @Override
    public synchronized void lost(Throwable cause) {
        losses.add(cause);
    }

    @Override
    public synchronized void interrupted(String cause) {
        interruptions++;
    }

    @Override
    public synchronized void resumed() {
        resumptions++;
    }

    @Override
    public synchronized void notice(String sentence) {
        notices.add(sentence);
    }

    public synchronized List<Throwable> losses() {
        return List.copyOf(losses);
    }

    public synchronized List<String> notices() {
        return List.copyOf(notices);
    }

    public synchronized int interruptions() {
        return interruptions;
    }

    public synchronized int resumptions() {
        return resumptions;
    }
}
