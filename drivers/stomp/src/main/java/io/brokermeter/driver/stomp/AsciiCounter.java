package io.brokermeter.driver.stomp;

/** Decimal numbers with leading zeros inside an array of text. */
final class AsciiCounter {

    /** Of the count of messages: enough for thirty years of a million a second. */
    static final int DIGITS = 15;

    private AsciiCounter() {}

    /** Writes a number from 0 up at {@code at}, in {@code digits} digits. */
    static void put(byte[] text, int at, int digits, long number) {
        long rest = number;
        for (int i = at + digits - 1; i >= at; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** The number of decimal digits of a number from 0 up. */
    static int digits(int number) {
        int digits = 1;
        for (int rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }
}
