package io.brokermeter.engine.envelope;

/** Makes the bodies of one producer, in an array that is used for every body. Used by one thread at a time; allocates nothing. */
@FunctionalInterface
interface BodyMaker {

    /**
     * Writes a body into the first bytes of {@code array}, except those of an envelope that is part of the body.
     *
     * @param sequence number of the message, from 0
     * @return length of the body in bytes
     */
    int make(byte[] array, long sequence);
}
