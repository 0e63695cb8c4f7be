package io.brokermeter.contract.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Encodes the parts of DER that a certificate needs. */
final class Der {

    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT = 0x06;
    private static final int UTF8 = 0x0c;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SHORT = 0x80;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] of(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(tag);
        int length = content.size();
        if (length < SHORT) {
            whole.write(length);
        } else {
            byte[] bytes = BigInteger.valueOf(length).toByteArray();
            int from = bytes[0] == 0 ? 1 : 0;
            whole.write(SHORT + bytes.length - from);
            whole.write(bytes, from, bytes.length - from);
        }
        whole.writeBytes(content.toByteArray());
        return whole.toByteArray();
    }

    static byte[] sequence(List<byte[]> parts) {
        return of(SEQUENCE, parts.toArray(byte[][]::new));
    }

    static byte[] integer(BigInteger value) {
        return of(INTEGER, value.toByteArray());
    }

    static byte[] bits(byte[] bytes) {
        return of(BIT_STRING, new byte[1], bytes);
    }

    static byte[] octets(byte[] bytes) {
        return of(OCTET_STRING, bytes);
    }

    static byte[] utf8(String text) {
        return of(UTF8, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant time) {
        return of(GENERALIZED_TIME, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    /** Encodes an object identifier. */
    static byte[] object(int... arcs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(arcs[0] * 40 + arcs[1]);
        for (int i = 2; i < arcs.length; i++) {
            for (int shift = 28; shift >= 0; shift -= 7) {
                if (arcs[i] >> shift != 0 || shift == 0) {
                    bytes.write(arcs[i] >> shift & 0x7f | (shift == 0 ? 0 : 0x80));
                }
            }
        }
        return of(OBJECT, bytes.toByteArray());
    }
}
