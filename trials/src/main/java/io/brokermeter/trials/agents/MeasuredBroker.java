package io.brokermeter.trials.agents;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.run.connect.BrokerWatch;
import org.jspecify.annotations.Nullable;

/** The broker of a run on several agents over the measured part, as the coordinator sees it. Used by the thread of {@link DistributedRun}. */
final class MeasuredBroker {

    private final @Nullable BrokerWatch watch;
    private boolean begun;
    private boolean ended;
    private BrokerFigures figures = BrokerFigures.UNKNOWN;

    /** @param watch watches the broker, or null; used and not closed */
    MeasuredBroker(@Nullable BrokerWatch watch) {
        this.watch = watch;
    }

    /** Returns the watch of the broker; null where nothing watches it. */
    @Nullable BrokerWatch watch() {
        return watch;
    }

    /** Begins the measured part, unless it has ended: the load may be over before the warm-up is. Only the first call has an effect. */
    void begin() {
        if (!begun && !ended && watch != null) {
            watch.begin();
        }
        begun = true;
    }

    /** Ends the measured part. Only the first call has an effect. */
    void end() {
        if (!ended && watch != null) {
            figures = watch.end();
        }
        ended = true;
    }

    /** Returns the figures of the measured part, which has ended; null when nothing was seen. */
    @Nullable BrokerFigures figures() {
        return figures.equals(BrokerFigures.UNKNOWN) ? null : figures;
    }

    /** Returns what lay between the clients and the broker in the measured part; null for nothing. */
    @Nullable NetworkFigures network() {
        return watch == null ? null : watch.network();
    }
}
