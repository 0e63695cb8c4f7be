package io.brokermeter.network;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and replaces the addresses of IPv4 packets, and updates their checksums (RFC 1624). */
final class Packets {

    /** The offsets of the two addresses in a packet. */
    static final int SOURCE = 12;
    static final int DESTINATION = 16;

    private static final int CHECKSUM = 10;
    private static final int SHORTEST = 20;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort HALF = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Packets() {}

    static boolean isIpv4(MemorySegment packet, int length) {
        return length >= SHORTEST && (packet.get(JAVA_BYTE, 0) & 0xF0) == 0x40;
    }

    static int address(MemorySegment packet, int where) {
        return packet.get(WORD, where);
    }

    /** Replaces the address at the offset {@code where}, and updates the checksums of the packet. */
    static void replace(MemorySegment packet, int length, int where, int address) {
        int before = address(packet, where);
        packet.set(WORD, where, address);
        correct(packet, CHECKSUM, before, address);
        int header = (packet.get(JAVA_BYTE, 0) & 0xF) * 4;
        int at = switch (packet.get(JAVA_BYTE, 9)) {
            case TCP -> header + 16;
            case UDP -> header + 6;
            default -> -1;
        };
        boolean isFirst = (packet.get(HALF, 6) & 0x1FFF) == 0;
        if (at > 0 && isFirst && at + 2 <= length && !(packet.get(JAVA_BYTE, 9) == UDP && packet.get(HALF, at) == 0)) {
            correct(packet, at, before, address);
        }
    }

    private static void correct(MemorySegment packet, int at, int before, int after) {
        int sum = (~packet.get(HALF, at) & 0xFFFF) + (~before >>> 16) + (~before & 0xFFFF) + (after >>> 16) + (after & 0xFFFF);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        packet.set(HALF, at, (short) ~sum);
    }
}
