package io.brokermeter.driver.rocketmq;

/** What is notified that its connection is gone for good. */
interface ConnectionLossListener {

    /** Nothing will be answered any more. Any thread may call. */
    void abandon(Throwable cause);
}
