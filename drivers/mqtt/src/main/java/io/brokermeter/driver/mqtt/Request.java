package io.brokermeter.driver.mqtt;

/** A SUBSCRIBE or UNSUBSCRIBE that waits for its answer. Guarded by the session's lock. */
final class Request {

    final int id;
    boolean answered;
    int code;
    String reason = "";

    Request(int id) {
        this.id = id;
    }
}
