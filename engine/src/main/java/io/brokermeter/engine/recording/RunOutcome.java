package io.brokermeter.engine.recording;

/** How a run came out, in a word; of several causes the gravest. */
public enum RunOutcome {
    SUCCESS("success"),
    FAIL("fail"),
    /** The generator was measured. */
    INVALID("invalid"),
    /** A success that did not keep the limit of a threshold. */
    THRESHOLD_MISSED("threshold missed"),
    /** A success that did not keep the requested rate. */
    RATE_MISSED("rate missed"),
    /** A success that was ended before it was known whether all messages arrive. */
    NOT_DRAINED("not drained"),
    /** The run goes on. */
    RUNNING("running"),
    /** The run left no result. */
    CUT_OFF("cut off");

    private final String word;

    RunOutcome(String word) {
        this.word = word;
    }

    /** Returns the outcome as files have it. */
    public String word() {
        return word;
    }
}
