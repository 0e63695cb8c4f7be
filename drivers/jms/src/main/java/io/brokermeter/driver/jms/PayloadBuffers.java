package io.brokermeter.driver.jms;

import java.nio.ByteBuffer;

import io.brokermeter.spi.parameter.PropertyText;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import org.jspecify.annotations.Nullable;

/** The bytes of the message that is delivered at present, in buffers that serve one message after the other. Used by one thread at a time. */
final class PayloadBuffers {

    private byte[] bytes = new byte[4096];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private byte[] property = new byte[64];
    private ByteBuffer propertyBuffer = ByteBuffer.wrap(property);

    /** Returns the body of a message between position and limit, valid until the next call. */
    ByteBuffer body(BytesMessage bytesMessage) throws JMSException {
        int length = Math.toIntExact(bytesMessage.getBodyLength());
        reserve(length);
        if (length > 0) {
            int read = bytesMessage.readBytes(bytes, length);
            length = Math.max(read, 0);
        }
        return buffer.clear().limit(length);
    }

    /** Copies a body that the client holds as an array; valid until the next call. */
    ByteBuffer copied(byte[] data, int offset, int length) {
        reserve(length);
        System.arraycopy(data, offset, bytes, 0, length);
        return buffer.clear().limit(length);
    }

    /** Decodes a value of the envelope property. Returns its bytes, valid until the next call; null if it is no envelope. */
    @Nullable ByteBuffer envelope(@Nullable Object value) {
        if (value instanceof byte[] array) {
            return ByteBuffer.wrap(array);
        }
        if (!(value instanceof String text)) {
            return null;
        }
        if (text.length() > property.length * 2) {
            property = new byte[text.length()];
            propertyBuffer = ByteBuffer.wrap(property);
        }
        int count = PropertyText.decode(text, property);
        return count < 0 ? null : propertyBuffer.clear().limit(count);
    }

    private void reserve(int length) {
        if (length > bytes.length) {
            bytes = new byte[Math.max(length, bytes.length * 2)];
            buffer = ByteBuffer.wrap(bytes);
        }
    }
}
