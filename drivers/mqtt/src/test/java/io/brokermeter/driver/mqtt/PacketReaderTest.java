package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketReaderTest {

    private static final int NO_LIMIT = 0;

    @Test
    void findsTheSamePacketsWhereverTheStreamIsCut() throws Exception {
        var packets = new ArrayList<byte[]>();
        packets.add(Bytes.packet(0xd0, new byte[0]));
        packets.add(Bytes.packet(0x40, new byte[] {1, 2}));
        packets.add(Bytes.publish(0x32, "a/b", 7, "hello"));
        packets.add(Bytes.publish(0x30, "a/b", 0, "x".repeat(150)));
        packets.add(Bytes.packet(0xd0, new byte[0]));
        byte[] stream = joined(packets);
        for (int cut = 1; cut < stream.length; cut++) {
            assertPackets(new PacketReader(NO_LIMIT, 64), Bytes.wire(stream, cut, stream.length), packets);
        }
        assertPackets(new PacketReader(NO_LIMIT, 64), Bytes.wire(stream, 1), packets);
        assertPackets(new PacketReader(NO_LIMIT, 1024), Bytes.wire(stream, 3, 1, 2), packets);
    }

    /** A broker that resumes a session may send messages before its answer to the client. */
    @Test
    void givesBackThePacketsThatItPassedWhereverTheStreamIsCut() throws Exception {
        var passed = List.of(Bytes.publish(0x32, "a/b", 7, "hello"), Bytes.publish(0x30, "a/b", 0, "x".repeat(150)));
        byte[] answer = Bytes.packet(0x20, new byte[] {1, 0});
        var behind = List.of(Bytes.publish(0x32, "a/b", 8, "last"), Bytes.packet(0xd0, new byte[0]));
        var packets = new ArrayList<>(passed);
        packets.add(answer);
        packets.addAll(behind);
        byte[] stream = joined(packets);
        for (int cut = 1; cut <= stream.length; cut++) {
            var incoming = new PacketReader(NO_LIMIT, 64);
            var wire = Bytes.wire(stream, cut, stream.length);
            incoming.awaitBehind(Packet.PUBLISH, wire);
            assertThat(incoming.header()).isEqualTo(0x20);
            assertThat(incoming.buffer().get(incoming.buffer().position())).isEqualTo((byte) 1);
            incoming.unread();
            assertPackets(incoming, wire, passed);
            assertPackets(incoming, wire, behind);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152})
    void readsEveryFormOfTheRemainingLength(int length) throws Exception {
        byte[] rest = new byte[length];
        new Random(length).nextBytes(rest);
        var packets = List.of(Bytes.packet(0x30, rest), Bytes.packet(0xd0, new byte[0]), Bytes.packet(0x3d, rest));
        byte[] stream = joined(packets);
        for (int first = 1; first < 8; first++) {
            assertPackets(new PacketReader(NO_LIMIT), Bytes.wire(stream, first, 100_000), packets);
        }
    }

    @Test
    void refusesALengthOfFiveBytes() {
        var incoming = new PacketReader(NO_LIMIT);
        var wire = Bytes.wire(new byte[] {0x30, -1, -1, -1, -1, 1}, 1);
        assertThatThrownBy(() -> incoming.await(wire)).isInstanceOf(DriverException.class).hasMessageContaining("no MQTT packet");
    }

    @Test
    void refusesAPacketThatIsLargerThanAllowedBeforeItCame() throws Exception {
        var fits = new PacketReader(100);
        var small = Bytes.wire(Bytes.packet(0x30, new byte[98]), 10);
        fits.await(small);
        var large = new PacketReader(100);
        var wire = Bytes.wire(Bytes.packet(0x30, new byte[99]), 3);
        assertThatThrownBy(() -> large.await(wire)).isInstanceOf(DriverException.class).hasMessageContaining("maximum-packet-size");
    }

    /** The largest packet of the protocol is legal, but its buffer must grow only with the bytes that arrive. */
    @Test
    void makesRoomForWhatCameAndNotForWhatWasAnnounced() {
        var direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        long before = direct.getMemoryUsed();
        var incoming = new PacketReader(NO_LIMIT);
        var wire = Bytes.wire(new byte[] {0x30, -1, -1, -1, 0x7f, 1, 2, 3}, 1);
        assertThatThrownBy(() -> incoming.await(wire)).isInstanceOf(EOFException.class);
        // 256 MiB were announced; tests that run concurrently need some of the same pool.
        assertThat(direct.getMemoryUsed() - before).isLessThan(128 << 20);
        assertThat(incoming.buffer().capacity()).isLessThan(1 << 20);
    }

    @Test
    void saysThatTheBrokerClosedTheConnection() {
        var incoming = new PacketReader(NO_LIMIT);
        var wire = Bytes.wire(new byte[] {0x30, 10, 1, 2}, 2);
        assertThatThrownBy(() -> incoming.await(wire)).isInstanceOf(EOFException.class).hasMessageContaining("closed the connection");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, Packet.LARGEST})
    void writesLengthsAsTheStandardSays(int length) throws Exception {
        var buffer = ByteBuffer.allocate(4);
        Packet.putLength(buffer, length);
        assertThat(buffer.position()).isEqualTo(Packet.lengthSize(length));
        buffer.flip();
        int expected = length;
        while (buffer.remaining() > 1) {
            assertThat(buffer.get(buffer.position()) & 0xff).isEqualTo(expected % 128 + 128);
            expected /= 128;
            buffer.get();
        }
        assertThat(buffer.get()).isEqualTo((byte) expected).isNotNegative();
        buffer.flip();
        assertThat(Packet.length(buffer)).isEqualTo(length);
    }

    private static byte[] joined(List<byte[]> packets) {
        var all = new Bytes();
        packets.forEach(all::raw);
        return all.array();
    }

    private static void assertPackets(PacketReader incoming, Wire wire, List<byte[]> packets) throws Exception {
        for (byte[] packet : packets) {
            incoming.await(wire);
            var body = new byte[incoming.end() - incoming.buffer().position()];
            incoming.buffer().get(incoming.buffer().position(), body);
            if (incoming.header() != (packet[0] & 0xff) || body.length > packet.length
                || !java.util.Arrays.equals(body, 0, body.length, packet, packet.length - body.length, packet.length)) {
                throw new AssertionError("packet " + packet.length + " bytes long was cut wrongly");
            }
        }
    }
}
