package io.brokermeter.engine.envelope;

/** Makes the bodies of one producer, in an array that stays the same. Used by one thread at a time; allocates nothing. */
@FunctionalInterface
interface BodyMaker {

    /**
     * Makes a body in the first bytes of {@code array}, leaving those of an envelope that is in it.
     *
     * @param sequence number of the message, from 0
     * @return its length
     */
    int make(byte[] array, long sequence);
}
