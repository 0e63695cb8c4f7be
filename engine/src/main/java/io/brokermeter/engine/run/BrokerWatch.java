package io.brokermeter.engine.run;

import java.util.List;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.NetworkFigures;
import org.jspecify.annotations.Nullable;

/**
 * Watches the broker of a run from outside. It works on threads of its own and never throws: what it cannot find out is
 * unknown in its figures, and a notice says why. Its methods are called by the thread that reports, and none but
 * {@link #end} waits for anything.
 */
public interface BrokerWatch extends AutoCloseable {

    /** What is watched, for people, without passwords; empty as long as nothing was found. */
    String describe();

    /** The measured phase begins: the figures of {@link #end} count from here. */
    void begin();

    /** What was seen since the last call; null when nothing new was. */
    @Nullable BrokerSample sample();

    /** The measured phase is over: what was seen of it. Takes a last reading, for which it waits half a second at most. */
    BrokerFigures end();

    /** What lay between the clients and the broker, over the same time as {@link #end}, which comes before; null for nothing. */
    default @Nullable NetworkFigures network() {
        return null;
    }

    /** New sentences for the user since the last call. */
    List<String> notices();

    /** New sentences about figures that cannot be read and that the user did not ask for; they go into the files of the run alone. */
    default List<String> unseen() {
        return List.of();
    }

    /** Ends its threads without waiting for them. */
    @Override
    void close();
}
