package io.brokermeter.hosts;

/** A property of the broker, as the user gave it, that the broker has not or whose value it does not understand. The message is one sentence for the user. */
public class RefusedProperty extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public RefusedProperty(String sentence) {
        super(sentence);
    }

    public RefusedProperty(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
