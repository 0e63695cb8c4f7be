package io.brokermeter.driver.stomp;

import io.brokermeter.spi.failure.DriverException;

/** An ERROR frame with which the broker answered. */
final class BrokerError extends DriverException {

    private static final long serialVersionUID = 1;

    private static final int LONGEST = 500;

    private BrokerError(String sentence) {
        super(sentence, null);
    }

    /** @param what what the broker did not do: "The broker refused ..." */
    static BrokerError of(String what, String text) {
        return new BrokerError(what + ": " + text + ".");
    }

    /** Returns the text of an ERROR frame, in one line without a full stop: its message, and its body if that says more. */
    static String text(StompFrames frame, StompVersion version) {
        String header = frame.text(StompFrames.Header.MESSAGE);
        String message = header == null ? "" : oneLine(version.unescape(header));
        String first = frame.bodyText().strip().lines().findFirst().map(BrokerError::oneLine).orElse("");
        if (message.isEmpty() || message.equals("null")) {
            return first.isEmpty() ? "no reason was given" : first;
        }
        // a stack trace begins with the message, and a quotation of a frame is contained in it
        return first.isEmpty() || first.contains(message) || message.contains(first) ? message
            : message + " (" + first + ")";
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\p{Cntrl}+", " ");
        String cut = line.length() > LONGEST ? line.substring(0, LONGEST) : line;
        return cut.endsWith(".") ? cut.substring(0, cut.length() - 1) : cut;
    }
}
