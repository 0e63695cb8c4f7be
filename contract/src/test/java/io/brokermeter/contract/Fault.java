package io.brokermeter.contract;

/** What a driver can do wrong. */
enum Fault {
    /** Nothing. */
    NONE,
    /** A connection without producers does not hear that its broker died. */
    DEAF_CONSUMER,
    /** Requests wait for their answers without a limit. */
    ENDLESS_REQUESTS,
    /** A message that the broker refused is reported as confirmed. */
    CONFIRMS_REFUSED,
    /** A consumer acknowledges a message when the next one comes, and the last one never. */
    LAST_UNACKNOWLEDGED,
    /** A connection that is closed reports its loss. */
    LOSS_AT_CLOSE,
    /** Deleting does nothing. */
    NO_DELETE,
    /** Delays are rounded up to seconds. */
    DELAY_IN_SECONDS,
    /** Nobody hears that an acknowledgement failed. */
    SWALLOWED_ACKNOWLEDGEMENT,
    /** What nobody knows is reported as failed. */
    FAILED_FOR_UNKNOWN,
    /** What is unknown is reported twice. */
    UNKNOWN_TWICE,
    /** What its consumer leaves is acknowledged. */
    ACKNOWLEDGES_WHAT_IS_LEFT,
    /** Each producer waits for confirmations for a time of its own when it is closed. */
    CLOSES_ONE_AFTER_ANOTHER,
    /** A connection that is closed forgets what its producers have not reported. */
    FORGETS_PRODUCERS,
    /** To delete what is not there is an error. */
    DELETES_ONLY_WHAT_IS_THERE,
    /** Messages live for ever. */
    IGNORES_TIME_TO_LIVE,
    /** A client id is left out. */
    IGNORES_CLIENT_ID,
    /** A login is left out. */
    IGNORES_LOGIN,
    /** The client is named without a version. */
    NAMELESS_CLIENT
}
