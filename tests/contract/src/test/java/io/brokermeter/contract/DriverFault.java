package io.brokermeter.contract;

/** A fault of a driver that the contract must detect. */
enum DriverFault {
    /** No fault. */
    NONE,
    /** A connection without producers does not report that its broker died. */
    DEAF_CONSUMER,
    /** Requests wait for their answers without a limit. */
    ENDLESS_REQUESTS,
    /** A message that the broker refused is reported as confirmed. */
    CONFIRMS_REFUSED,
    /** A consumer acknowledges a message only when the next one arrives, so the last one is never acknowledged. */
    LAST_UNACKNOWLEDGED,
    /** A connection that is closed regularly reports a loss. */
    LOSS_AT_CLOSE,
    /** Deleting a destination has no effect. */
    NO_DELETE,
    /** Delays are rounded up to seconds. */
    DELAY_IN_SECONDS,
    /** A failed acknowledgement is not reported. */
    SWALLOWED_ACKNOWLEDGEMENT,
    /** A send whose outcome is unknown is reported as failed. */
    FAILED_FOR_UNKNOWN,
    /** A send whose outcome is unknown is reported twice. */
    UNKNOWN_TWICE,
    /** A message that the listener leaves is acknowledged. */
    ACKNOWLEDGES_WHAT_IS_LEFT,
    /** Each producer that is closed waits for confirmations up to a limit of its own. */
    CLOSES_ONE_AFTER_ANOTHER,
    /** Closing a connection does not report the pending sends of its producers. */
    FORGETS_PRODUCERS,
    /** Deleting a destination that does not exist is an error. */
    DELETES_ONLY_WHAT_IS_THERE,
    /** Messages never expire. */
    IGNORES_TIME_TO_LIVE,
    /** The client id is not sent to the broker. */
    IGNORES_CLIENT_ID,
    /** The login is not sent to the broker. */
    IGNORES_LOGIN,
    /** The client is named without a version. */
    NAMELESS_CLIENT
}
