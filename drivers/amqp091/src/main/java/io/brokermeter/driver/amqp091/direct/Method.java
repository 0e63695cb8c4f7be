package io.brokermeter.driver.amqp091.direct;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** The methods of the protocol: constants that combine class number and method number, and their encoding. */
final class Method {

    static final int CONNECTION_START = 10 << 16 | 10;
    static final int CONNECTION_START_OK = 10 << 16 | 11;
    static final int CONNECTION_TUNE = 10 << 16 | 30;
    static final int CONNECTION_TUNE_OK = 10 << 16 | 31;
    static final int CONNECTION_OPEN = 10 << 16 | 40;
    static final int CONNECTION_OPEN_OK = 10 << 16 | 41;
    static final int CONNECTION_CLOSE = 10 << 16 | 50;
    static final int CONNECTION_CLOSE_OK = 10 << 16 | 51;
    static final int CONNECTION_BLOCKED = 10 << 16 | 60;
    static final int CONNECTION_UNBLOCKED = 10 << 16 | 61;
    static final int CHANNEL_OPEN = 20 << 16 | 10;
    static final int CHANNEL_OPEN_OK = 20 << 16 | 11;
    static final int CHANNEL_FLOW = 20 << 16 | 20;
    static final int CHANNEL_FLOW_OK = 20 << 16 | 21;
    static final int CHANNEL_CLOSE = 20 << 16 | 40;
    static final int CHANNEL_CLOSE_OK = 20 << 16 | 41;
    static final int EXCHANGE_DECLARE = 40 << 16 | 10;
    static final int EXCHANGE_DECLARE_OK = 40 << 16 | 11;
    static final int EXCHANGE_DELETE = 40 << 16 | 20;
    static final int EXCHANGE_DELETE_OK = 40 << 16 | 21;
    static final int QUEUE_DECLARE = 50 << 16 | 10;
    static final int QUEUE_DECLARE_OK = 50 << 16 | 11;
    static final int QUEUE_BIND = 50 << 16 | 20;
    static final int QUEUE_BIND_OK = 50 << 16 | 21;
    static final int QUEUE_DELETE = 50 << 16 | 40;
    static final int QUEUE_DELETE_OK = 50 << 16 | 41;
    static final int BASIC_QOS = 60 << 16 | 10;
    static final int BASIC_QOS_OK = 60 << 16 | 11;
    static final int BASIC_CONSUME = 60 << 16 | 20;
    static final int BASIC_CONSUME_OK = 60 << 16 | 21;
    static final int BASIC_CANCEL = 60 << 16 | 30;
    static final int BASIC_PUBLISH = 60 << 16 | 40;
    static final int BASIC_RETURN = 60 << 16 | 50;
    static final int BASIC_DELIVER = 60 << 16 | 60;
    static final int BASIC_GET = 60 << 16 | 70;
    static final int BASIC_GET_OK = 60 << 16 | 71;
    static final int BASIC_GET_EMPTY = 60 << 16 | 72;
    static final int BASIC_ACK = 60 << 16 | 80;
    static final int BASIC_REJECT = 60 << 16 | 90;
    static final int BASIC_NACK = 60 << 16 | 120;
    static final int CONFIRM_SELECT = 85 << 16 | 10;
    static final int CONFIRM_SELECT_OK = 85 << 16 | 11;
    static final int TX_SELECT = 90 << 16 | 10;
    static final int TX_SELECT_OK = 90 << 16 | 11;
    static final int TX_COMMIT = 90 << 16 | 20;
    static final int TX_COMMIT_OK = 90 << 16 | 21;
    static final int TX_ROLLBACK = 90 << 16 | 30;
    static final int TX_ROLLBACK_OK = 90 << 16 | 31;

    /** The largest size of a frame with one of our methods, in bytes. */
    static final int LARGEST = 8 * 1024;

    private Method() {}

    /** Writes the arguments of a method that closes a channel or a connection without an error. */
    static void regularEnd(ByteBuffer to) {
        to.putShort((short) 200).put((byte) 0).putInt(0);
    }

    /** Writes the frame of a method. */
    static void put(ByteBuffer to, int channel, int code, Consumer<ByteBuffer> arguments) {
        int start = to.position();
        try {
            to.put((byte) Amqp091Frames.METHOD).putShort((short) channel).putInt(0).putInt(code);
            arguments.accept(to);
            to.put(Amqp091Frames.END);
        } catch (RuntimeException e) {
            to.position(start);
            throw e instanceof BufferOverflowException
                ? new IllegalArgumentException("The arguments of a request are longer than " + LARGEST + " bytes.", e) : e;
        }
        to.putInt(start + 3, to.position() - start - Amqp091Frames.OVERHEAD);
    }
}
