package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;

import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;

/** Proton's codec, for infrequent frames. Not safe for use by several threads at a time. */
final class Performatives {

    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);

    Performatives() {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
    }

    /** Encodes {@code value} at the position of {@code out}, which must have room for it. */
    void encode(Object value, ByteBuffer out) {
        encoder.setByteBuffer(out);
        encoder.writeObject(value);
    }

    /** Decodes the value at the position of {@code in} and moves the position behind it. */
    Object decode(ByteBuffer in) {
        decoder.setByteBuffer(in);
        return decoder.readObject();
    }
}
