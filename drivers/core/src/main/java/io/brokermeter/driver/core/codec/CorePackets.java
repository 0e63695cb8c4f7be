package io.brokermeter.driver.core.codec;

/** Numbers of the protocol: types of packets, channels, and codes of the broker's exceptions. */
final class CorePackets {

    static final byte PING = 10;
    static final byte DISCONNECT = 11;
    static final byte DISCONNECT_CONSUMER = 12;
    static final byte DISCONNECT_CONSUMER_KILL = 13;
    static final byte EXCEPTION = 20;
    static final byte NULL_RESPONSE = 21;
    static final byte PACKETS_CONFIRMED = 22;
    static final byte CREATE_SESSION = 30;
    static final byte CREATE_SESSION_RESPONSE = 31;
    static final byte DELETE_QUEUE = 35;
    static final byte CREATE_CONSUMER = 40;
    static final byte ACKNOWLEDGE = 41;
    static final byte EXPIRED = 42;
    static final byte QUEUE_QUERY = 45;
    static final byte BINDING_QUERY = 49;
    static final byte START = 67;
    static final byte CLOSE_SESSION = 69;
    static final byte CONSUMER_CREDITS = 70;
    static final byte SEND = 71;
    static final byte SEND_LARGE = 72;
    static final byte SEND_CONTINUATION = 73;
    static final byte CLOSE_CONSUMER = 74;
    static final byte RECEIVE = 75;
    static final byte RECEIVE_LARGE = 76;
    static final byte RECEIVE_CONTINUATION = 77;
    static final byte REQUEST_PRODUCER_CREDITS = 79;
    static final byte PRODUCER_CREDITS = 80;
    static final byte FAIL_PRODUCER_CREDITS = 82;
    static final byte DISCONNECT_2 = 124;
    static final byte CREATE_ADDRESS = -11;
    static final byte CREATE_QUEUE = -12;
    static final byte CREATE_SHARED_QUEUE = -13;
    static final byte DISCONNECT_3 = -19;
    static final byte CREATE_PRODUCER = -20;

    /** The version of the protocol that this package speaks: that of Artemis 2.37 and later. */
    static final int VERSION = 136;

    /** Bytes of a packet before its fields: length, type, channel. */
    static final int HEADER = 13;
    /** Channel of the connection itself. */
    static final long CONNECTION = 0;
    /** Channel on which sessions are created. */
    static final long SESSIONS = 1;
    /** The first channel of sessions; the numbers below are the broker's. */
    static final int FIRST_SESSION = 10;

    static final int QUEUE_EXISTS = 101;
    static final int INVALID_FILTER = 103;
    static final int SECURITY = 105;
    static final int ADDRESS_EXISTS = 107;
    static final int INCOMPATIBLE_VERSIONS = 108;

    private CorePackets() {}
}
