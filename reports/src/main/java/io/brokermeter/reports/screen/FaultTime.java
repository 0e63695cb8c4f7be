package io.brokermeter.reports.screen;

import io.brokermeter.reports.document.ResultDocument.FaultCost;
import io.brokermeter.reports.document.ResultDocument.FaultDocument;

/** A time of a fault, in seconds. */
public enum FaultTime {

    DETECT, WITHOUT_SEND, WITHOUT_DELIVERY, TO_95_PERCENT, CATCH_UP, LONGEST_WAIT;

    /** Returns the time; NaN if it is unknown, and if its event did not happen before the end of the run. */
    public double of(FaultDocument fault) {
        FaultCost cost = fault.cost();
        return switch (this) {
            case DETECT -> cost.detectSeconds();
            case WITHOUT_SEND -> cost.withoutSendSeconds();
            case WITHOUT_DELIVERY -> cost.withoutDeliverySeconds();
            case TO_95_PERCENT -> cost.to95PercentSeconds();
            case CATCH_UP -> cost.catchUpSeconds();
            case LONGEST_WAIT -> cost.longestWaitSeconds();
        };
    }

    /** Returns whether the time needs no state before the fault to compare with. */
    public boolean isAlone() {
        return this == DETECT || this == LONGEST_WAIT;
    }

    /** Returns whether only a run that receives has the time. */
    boolean isOfDeliveries() {
        return this == WITHOUT_DELIVERY || this == CATCH_UP || this == LONGEST_WAIT;
    }
}
