package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.brokermeter.spi.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * The head of a producer's SEND frames that are alike but for what has a place of its own in it: it stands ready in one
 * array. Used by one thread at a time.
 */
final class SendHead {

    /** Until the year 2286, a moment has so many digits of milliseconds. */
    private static final int MOMENT = 13;
    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EXPIRES = "expires:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] RECEIPT = "receipt:".getBytes(StandardCharsets.US_ASCII);

    private final byte[] prefix;
    private final byte[] envelopeName;
    private final boolean expires;
    /** The number of the producer in receipts, -1 for none. */
    private final int receipts;

    private byte[] bytes;
    private int bodyLength = -1;
    private int envelopeLength;
    private byte[] transactionLine = new byte[0];
    private int envelopeAt;
    private int expiresAt;
    private int plainEnd;
    private int counterAt;
    private int fullEnd;

    /**
     * @param prefix the command and the headers that stay
     * @param envelopeName the name of the envelope's header with its colon
     * @param expires whether there is a header with the moment at which the message expires
     * @param receipts the number of the producer in receipts, -1 for none
     */
    SendHead(byte[] prefix, byte[] envelopeName, boolean expires, int receipts) {
        this.prefix = prefix;
        this.envelopeName = envelopeName;
        this.expires = expires;
        this.receipts = receipts;
        this.bytes = new byte[prefix.length + 256];
    }

    /** Lays it out anew where it must be: for another length of bodies or envelopes, or another transaction. */
    void fit(int body, byte @Nullable [] envelope, byte[] transaction) {
        int beside = envelope == null ? 0 : envelope.length;
        if (body != bodyLength || beside != envelopeLength || transaction != transactionLine) {
            layOut(body, beside, transaction);
        }
        if (envelope != null) {
            PropertyText.encode(envelope, bytes, envelopeAt);
        }
    }

    private void layOut(int body, int envelope, byte[] transaction) {
        int needed = prefix.length + transaction.length + envelopeName.length + 2 * envelope + 160;
        if (bytes.length < needed) {
            bytes = new byte[needed];
        }
        System.arraycopy(prefix, 0, bytes, 0, prefix.length);
        int p = put(prefix.length, CONTENT_LENGTH);
        p = number(p, body);
        bytes[p++] = '\n';
        if (envelope > 0) {
            p = put(p, envelopeName);
            envelopeAt = p;
            p += 2 * envelope;
            bytes[p++] = '\n';
        }
        if (expires) {
            p = put(p, EXPIRES);
            expiresAt = p;
            p += MOMENT;
            bytes[p++] = '\n';
        }
        p = put(p, transaction);
        plainEnd = p;
        if (receipts >= 0) {
            p = put(p, RECEIPT);
            p = number(p, receipts);
            bytes[p++] = '-';
            counterAt = p;
            Arrays.fill(bytes, p, p + AsciiCounter.DIGITS, (byte) '0');
            p += AsciiCounter.DIGITS;
            bytes[p++] = '\n';
        }
        bytes[p++] = '\n';
        fullEnd = p;
        bodyLength = body;
        envelopeLength = envelope;
        transactionLine = transaction;
    }

    private int put(int at, byte[] text) {
        System.arraycopy(text, 0, bytes, at, text.length);
        return at + text.length;
    }

    private int number(int at, int number) {
        int digits = AsciiCounter.digits(number);
        AsciiCounter.put(bytes, at, digits, number);
        return at + digits;
    }

    /** Writes the moment at which the message expires, where that is a header. */
    void expireAt(long millis) {
        AsciiCounter.put(bytes, expiresAt, MOMENT, millis);
    }

    /** Writes the number of the message into its receipt. */
    void count(long number) {
        AsciiCounter.put(bytes, counterAt, AsciiCounter.DIGITS, number);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the headers end that come before the receipt. */
    int plainEnd() {
        return plainEnd;
    }

    /** Bytes of the header with the receipt. */
    int receiptLength() {
        return fullEnd - 1 - plainEnd;
    }

    /** Where the whole head ends, with the empty line. */
    int end() {
        return fullEnd;
    }
}
