package io.brokermeter.engine.run.connect;

import java.util.List;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.NetworkFigures;
import org.jspecify.annotations.Nullable;

/**
 * Watches the broker of a run from outside. A watch works on threads of its own and never throws: a figure that it cannot
 * find out is unknown, and a notice says why. Its methods are called by the reporting thread, and only {@link #end} blocks.
 */
public interface BrokerWatch extends AutoCloseable {

    /** Returns a description of what is watched, for display and without passwords; empty as long as nothing was found. */
    String describe();

    /** Begins the measured phase: the figures of {@link #end} count from here. */
    void begin();

    /** Returns what was seen of the broker since the last call; null when nothing new was seen. */
    @Nullable BrokerSample sample();

    /** Ends the measured phase and returns its figures. Takes a last reading, for which it blocks at most half a second. */
    BrokerFigures end();

    /**
     * Returns the figures of the network between the clients and the broker, over the same time as those of {@link #end}, which is
     * called before; null when nothing lies between them.
     */
    default @Nullable NetworkFigures network() {
        return null;
    }

    /** Returns the sentences for the user that are new since the last call. */
    List<String> notices();

    /**
     * Returns the sentences, new since the last call, about figures that cannot be read and that the user did not ask for. They are
     * written only to the files of the run.
     */
    default List<String> unseen() {
        return List.of();
    }

    /** Ends the threads of the watch without waiting for them. */
    @Override
    void close();
}
