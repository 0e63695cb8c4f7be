package io.brokermeter.hosts;

/**
 * Thrown for a property given by the user that the broker does not have, or whose value it does not accept. The message is one sentence
 * for the user.
 */
public class RefusedProperty extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public RefusedProperty(String sentence) {
        super(sentence);
    }

    public RefusedProperty(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
