package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;

/** The exchange before the AMQP connection is opened: protocol headers, and SASL with PLAIN or ANONYMOUS. Blocks; the caller bounds it. */
final class Sasl {

    private static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    private static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final byte SASL_FRAME = 1;

    private Sasl() {}

    /** Signals that the broker requires a mechanism that only qpid-jms supports. */
    static final class MechanismException extends DriverException {

        private static final long serialVersionUID = 1L;

        MechanismException(List<String> offered) {
            super("The broker offers the SASL mechanisms " + offered + " only.", null);
        }
    }

    static void exchange(Wire wire, AmqpFrames incoming, ConnectionSettings settings, String host) throws IOException {
        Performatives codec = new Performatives();
        wire.write(ByteBuffer.wrap(SASL_HEADER));
        header(wire, incoming, SASL_HEADER);
        if (!(frame(wire, incoming, codec) instanceof SaslMechanisms mechanisms)) {
            throw new IOException("the broker did not offer any SASL mechanism");
        }
        SaslInit init = new SaslInit();
        init.setHostname(host);
        List<String> offered = Arrays.stream(mechanisms.getSaslServerMechanisms()).map(Symbol::toString).toList();
        String user = settings.user();
        var password = settings.password();
        if (user != null && !user.isEmpty() && password != null) {
            // qpid-jms can use a mechanism that does not reveal the password, which is better than PLAIN
            if (!offered.contains("PLAIN") || offered.stream().anyMatch(name -> name.startsWith("SCRAM-"))) {
                throw new MechanismException(offered);
            }
            init.setMechanism(Symbol.valueOf("PLAIN"));
            init.setInitialResponse(
                new Binary(("\0" + user + "\0" + password.reveal()).getBytes(StandardCharsets.UTF_8)));
        } else {
            if (!offered.contains("ANONYMOUS")) {
                throw new MechanismException(offered);
            }
            init.setMechanism(Symbol.valueOf("ANONYMOUS"));
            init.setInitialResponse(new Binary(new byte[0]));
        }
        ByteBuffer out = ByteBuffer.allocate(4096 + 8 * (user == null ? 0 : user.length())
            + (password == null ? 0 : 4 * password.reveal().length())).position(8);
        codec.encode(init, out);
        out.putInt(0, out.position()).put(4, (byte) 2).put(5, SASL_FRAME);
        wire.write(out.flip());
        if (!(frame(wire, incoming, codec) instanceof SaslOutcome outcome)) {
            throw new IOException("the broker asked for a further step of SASL " + init.getMechanism());
        }
        switch (outcome.getCode()) {
            case OK -> {}
            case AUTH -> throw new DriverException(
                user == null ? "The broker refused an anonymous connection; give user and password."
                    : "The broker refused the user '" + user + "' or the password; check user and password.",
                null);
            default -> throw new IOException("The broker could not authenticate the connection (SASL outcome "
                + outcome.getCode() + ").");
        }
        wire.write(ByteBuffer.wrap(AMQP_HEADER));
        header(wire, incoming, AMQP_HEADER);
    }

    private static void header(Wire wire, AmqpFrames incoming, byte[] wanted) throws IOException {
        byte[] header = incoming.take(wire, wanted.length);
        if (!Arrays.equals(header, 0, 4, wanted, 0, 4)) {
            throw new IOException("whatever listens there does not speak AMQP 1.0");
        }
        if (!Arrays.equals(header, wanted)) {
            throw new IOException("the broker asks for another kind of AMQP: protocol id " + header[4] + ", version "
                + header[5] + "." + header[6] + "." + header[7]);
        }
    }

    private static Object frame(Wire wire, AmqpFrames incoming, Performatives codec) throws IOException {
        incoming.await(wire);
        return codec.decode(incoming.view(incoming.buffer().position(), incoming.frameEnd()).slice());
    }
}
