package io.brokermeter.live;

import io.brokermeter.engine.run.send.RateChange;

/** What those who watch a run may do to it. Any thread may call its methods. */
public interface RunControls {

    /** Requests a clean end of the run; returns false when there is nothing to end yet. */
    boolean end();

    /** Changes the rate of the run by some percent of what it is; returns what became of that. */
    RateChange rate(int percent);
}
