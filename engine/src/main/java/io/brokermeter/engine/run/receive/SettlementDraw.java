package io.brokermeter.engine.run.receive;

import io.brokermeter.engine.run.send.RandomDraw;
import io.brokermeter.spi.Settlement;

/** Draws what becomes of each message of a consumer that requeues or rejects some of them. Used by the thread that delivers. */
final class SettlementDraw {

    private final double requeueShare;
    private final double settleShare;
    private final RandomDraw random;

    SettlementDraw(double requeueShare, double rejectShare, long seed) {
        this.requeueShare = requeueShare;
        this.settleShare = requeueShare + rejectShare;
        this.random = new RandomDraw(seed);
    }

    Settlement next() {
        double drawn = random.fraction();
        if (drawn < requeueShare) {
            return Settlement.REQUEUE;
        }
        return drawn < settleShare ? Settlement.REJECT : Settlement.ACCEPT;
    }
}
