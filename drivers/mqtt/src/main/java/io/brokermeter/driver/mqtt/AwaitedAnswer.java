package io.brokermeter.driver.mqtt;

/** A SUBSCRIBE or UNSUBSCRIBE that waits for its answer. Guarded by the session's lock. */
final class AwaitedAnswer {

    final int id;
    boolean answered;
    int code;
    String reason = "";

    AwaitedAnswer(int id) {
        this.id = id;
    }
}
