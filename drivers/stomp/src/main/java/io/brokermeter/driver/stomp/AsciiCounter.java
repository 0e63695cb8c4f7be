package io.brokermeter.driver.stomp;

import java.util.Arrays;

/** A decimal number with leading zeros inside an array of text, which counts in place. */
final class AsciiCounter {

    /** Enough for thirty years of a million a second. */
    static final int DIGITS = 15;

    private AsciiCounter() {}

    /** Writes 0 at {@code at}. */
    static void reset(byte[] text, int at) {
        Arrays.fill(text, at, at + DIGITS, (byte) '0');
    }

    /** Adds 1 to the number at {@code at}. */
    static void increment(byte[] text, int at) {
        for (int i = at + DIGITS - 1; i >= at; i--) {
            if (text[i] != '9') {
                text[i]++;
                return;
            }
            text[i] = '0';
        }
    }

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
