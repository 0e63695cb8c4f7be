package io.brokermeter.cluster.clock;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** Replaces UDP by a TCP connection while nothing is received over UDP. Used by the thread that sends probes. */
final class TcpFallback {

    private static final long SILENT = 3 * ProbeClient.SECOND;
    /** The silence over UDP after which TCP is tried if there was no answer at all, nanoseconds. */
    private static final long NEVER_HEARD = ProbeClient.SECOND;
    private static final int UDP_IS_BACK = 3;
    private static final int MOST_DOUBLINGS = 4;

    private final InetSocketAddress server;
    private final ProbeWay.Udp udp;
    private final Supplier<ProbeWay.Tcp> opening;
    private final Consumer<ClockEvent> told;
    private ProbeWay.@Nullable Tcp tcp;
    private boolean reported;
    private int failed;
    private long tried;
    private long udpBefore;
    private long udpHeard;
    private long udpAnswers;

    /**
     * @param opening creates a connection to the server, which is not started
     * @param begin the moment of the first probe
     */
    TcpFallback(InetSocketAddress server, ProbeWay.Udp udp, Supplier<ProbeWay.Tcp> opening, long begin, Consumer<ClockEvent> told) {
        this.server = server;
        this.udp = udp;
        this.opening = opening;
        this.told = told;
        this.udpHeard = begin;
    }

    /** Returns the connection; null while UDP is used. */
    ProbeWay.@Nullable Tcp connection() {
        return tcp;
    }

    /**
     * Connects, tries again, or returns to UDP, whatever is due.
     *
     * @param lastAnswer the moment of the last answer, by either protocol
     */
    void look(long now, long lastAnswer) {
        long heard = udp.answers();
        ProbeWay.Tcp connection = tcp;
        if (connection == null) {
            if (heard != udpAnswers) {
                udpAnswers = heard;
                udpHeard = now;
            } else if (now - udpHeard > (heard == 0 ? NEVER_HEARD : SILENT)) {
                connect(now);
            }
        } else if (heard - udpBefore >= UDP_IS_BACK) {
            connection.close();
            tcp = null;
            udpAnswers = heard;
            udpHeard = now;
            failed = 0;
            if (reported) {
                reported = false;
                told.accept(new ClockEvent.OverUdp(server));
            }
        } else if (connection.answers() > 0 && !reported) {
            reported = true;
            failed = 0;
            told.accept(new ClockEvent.OverTcp(server));
        } else if (now - tried > ProbeClient.SECOND << Math.min(failed, MOST_DOUBLINGS)
            && (!connection.open() || Math.min(now - tried, now - lastAnswer) > ProbeClient.ALL_SILENT)) {
            connection.close();
            failed++;
            connect(now);
        }
    }

    private void connect(long now) {
        ProbeWay.Tcp made = opening.get();
        made.startReceiving();
        tried = now;
        if (tcp == null) {
            udpBefore = udp.answers();
        }
        tcp = made;
    }

    void close() {
        if (tcp != null) {
            tcp.close();
        }
    }
}
