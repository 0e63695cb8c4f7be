package io.brokermeter.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.envelope.Envelope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireComparisonTest {

    private static final long INTENDED = 1_795_000_000_000_000_000L;

    /** Returns a body of 200 bytes as a run sends it: the envelope, then letters. */
    private static byte[] body(long sequence) {
        byte[] body = "x".repeat(200).getBytes(StandardCharsets.US_ASCII);
        byte[] head = new byte[Envelope.SIZE];
        Envelope.prepare(head, 77, 0, false);
        Envelope.stamp(head, sequence, INTENDED, 300, 0);
        System.arraycopy(head, 0, body, 0, head.length);
        return body;
    }

    private static byte[] packet(String before, byte[] body, String after) {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.writeBytes(before.getBytes(StandardCharsets.ISO_8859_1));
        packet.writeBytes(body);
        packet.writeBytes(after.getBytes(StandardCharsets.ISO_8859_1));
        return packet.toByteArray();
    }

    @Test
    void eachProtocolIsOneOfItsBroker() {
        WireComparison.PROTOCOLS.forEach((protocol, where) -> assertThat(Broker.protocols(BrokerName.parse(where.broker()))).as(protocol)
            .contains(protocol));
    }

    /** Sends and deliveries of protocols with text around a body, and of one with a binary header. */
    @ParameterizedTest
    @ValueSource(strings = {"PUB WIRE _INBOX.a.7 200\r\n", "MSG WIRE 9 $JS.ACK.WIRE.queue.1.7.7.1795000000.0 200\r\n",
        "*5\r\n$4\r\nXADD\r\n$4\r\nWIRE\r\n$1\r\n*\r\n$1\r\nb\r\n$200\r\n", "put 1024 0 120 200\r\n", "RESERVED 7 200\r\n",
        "\0\0\1\u00f0\u0018\0\0\0\7\1\0\0\0\u00c8"})
    void aMessageIsFoundByItsEnvelopeWhateverStandsAroundIt(String before) {
        List<ByteBuffer> one = WireComparison.envelopes(packet(before, body(7), "\r\n"));

        assertThat(one).hasSize(1);
        assertThat(Envelope.sequence(one.getFirst())).isEqualTo(7);
        assertThat(Envelope.intended(one.getFirst())).isEqualTo(INTENDED);
        assertThat(Envelope.delayUnits(one.getFirst())).isEqualTo(3);
        assertThat(WireComparison.envelopes(packet(before, new byte[200], "\r\n"))).isEmpty();
    }

    /** Each run takes half a minute and starts its own broker, so one that fails must not discard the results of the others. */
    @Test
    void whatWasMeasuredIsPrintedAlthoughAnotherProtocolFailed() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = WireComparison.compare(List.of("AMQP", "CORE", "STOMP"), protocol -> {
            if (protocol.equals("CORE")) {
                throw new IOException("The run failed: nobody listens\n");
            }
            return new WireComparison.Row(protocol, 10_000, 120, 100, 90, 80, 5, 12);
        }, new PrintStream(out, true, StandardCharsets.US_ASCII), new PrintStream(err, true, StandardCharsets.US_ASCII));

        assertThat(status).isEqualTo(1);
        assertThat(out.toString(StandardCharsets.US_ASCII).lines().skip(2)).containsExactly(
            "| AMQP | 10,000 | 120.0 | 100.0 | +20.0 | 90.0 | 80.0 | +10.0 | 5.0 | 12.0 | +8.0 | -2.0 |",
            "| STOMP | 10,000 | 120.0 | 100.0 | +20.0 | 90.0 | 80.0 | +10.0 | 5.0 | 12.0 | +8.0 | -2.0 |");
        assertThat(err.toString(StandardCharsets.US_ASCII).lines().toList().getLast())
            .isEqualTo("CORE was not measured: The run failed: nobody listens");
    }

    @Test
    void eachMessageOfAPacketIsFound() {
        byte[] two = packet("RESERVED 7 200\r\n", body(7), new String(packet("\r\nRESERVED 8 200\r\n", body(8), "\r\n"),
            StandardCharsets.ISO_8859_1));

        assertThat(WireComparison.envelopes(two)).extracting(Envelope::sequence).containsExactly(7L, 8L);
    }
}
