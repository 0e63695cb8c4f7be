package io.brokermeter.driver.rocketmq;

/** A producer or consumer that is notified when its connection is lost for good. */
interface ConnectionLossListener {

    /** Handles the loss: no request will be answered any more. Any thread may call. */
    void abandon(Throwable cause);
}
