package io.brokermeter.driver.kafka.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;

import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.SaslAuthenticateRequest;
import org.apache.kafka.common.requests.SaslAuthenticateResponse;
import org.apache.kafka.common.requests.SaslHandshakeRequest;
import org.apache.kafka.common.requests.SaslHandshakeResponse;
import org.apache.kafka.common.security.scram.ScramExtensionsCallback;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslClient;

/** The first requests on a connection: which versions of requests the broker knows, and the login. */
public final class Greeting implements Dialer.Greeting<Greeting.Greeted> {

    private static final short FIRST = 0;
    private static final short HANDSHAKE = 1;
    private static final short AUTHENTICATE = 0;

    /** A connection after its first requests. */
    public record Greeted(Wire wire, ResponseFrames in) {}

    private final LinkSettings settings;
    private final Map<ApiKeys, Short> needed;
    private final int largest;
    private int requests;

    /**
     * @param needed the versions of requests that the broker must know
     * @param largest length in bytes of the longest answer
     */
    public Greeting(LinkSettings settings, Map<ApiKeys, Short> needed, int largest) {
        this.settings = settings;
        this.needed = needed;
        this.largest = largest;
    }

    @Override
    public Greeted greet(Wire wire, ServerUrl.Server server) throws IOException {
        ResponseFrames in = new ResponseFrames(largest);
        ApiVersionsResponse versions = (ApiVersionsResponse) ask(wire, in, new ApiVersionsRequest.Builder().build(FIRST), FIRST);
        for (Map.Entry<ApiKeys, Short> need : needed.entrySet()) {
            ApiVersion has = versions.apiVersion(need.getKey().id);
            if (has == null || has.minVersion() > need.getValue() || has.maxVersion() < need.getValue()) {
                throw new UnsuitedBroker("The broker " + server + " does not know version " + need.getValue() + " of Kafka's request "
                    + need.getKey().name + ", which brokermeter's own path needs.");
            }
        }
        if (settings.login().isPresent()) {
            logIn(wire, in, settings.login().get());
        }
        return new Greeted(wire, in);
    }

    private void logIn(Wire wire, ResponseFrames in, LinkSettings.Login login) throws IOException {
        var handshake = (SaslHandshakeResponse) ask(wire, in, new SaslHandshakeRequest.Builder(
            new SaslHandshakeRequestData().setMechanism(login.mechanism())).build(HANDSHAKE), HANDSHAKE);
        if (handshake.error() != Errors.NONE) {
            throw new DriverException("The broker has no login by " + login.mechanism() + ", only by "
                + String.join(", ", handshake.enabledMechanisms()) + "; set sasl.mechanism.", null);
        }
        if (login.mechanism().equals("PLAIN")) {
            authenticate(wire, in, ("\0" + login.user() + "\0" + login.password().reveal()).getBytes(StandardCharsets.UTF_8));
            return;
        }
        SaslClient scram = scram(login);
        byte[] answer = authenticate(wire, in, scram.evaluateChallenge(new byte[0]));
        while (!scram.isComplete()) {
            byte[] next;
            try {
                next = scram.evaluateChallenge(answer);
            } catch (SaslException e) {
                throw refused(String.valueOf(e.getMessage()));
            }
            if (!scram.isComplete()) {
                answer = authenticate(wire, in, next);
            }
        }
    }

    private static SaslClient scram(LinkSettings.Login login) throws IOException {
        try {
            return new ScramSaslClient(ScramMechanism.forMechanismName(login.mechanism()), callbacks -> {
                for (Callback each : callbacks) {
                    switch (each) {
                        case NameCallback name -> name.setName(login.user());
                        case PasswordCallback password -> password.setPassword(login.password().reveal().toCharArray());
                        case ScramExtensionsCallback extensions -> extensions.extensions(Map.of());
                        default -> {}
                    }
                }
            });
        } catch (NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }

    private byte[] authenticate(Wire wire, ResponseFrames in, byte[] bytes) throws IOException {
        var answer = (SaslAuthenticateResponse) ask(wire, in, new SaslAuthenticateRequest.Builder(
            new SaslAuthenticateRequestData().setAuthBytes(bytes)).build(AUTHENTICATE), AUTHENTICATE);
        if (answer.error() != Errors.NONE) {
            throw refused(answer.errorMessage());
        }
        return answer.saslAuthBytes();
    }

    private DriverException refused(String why) {
        return new DriverException("The broker refused user '" + settings.login().map(LinkSettings.Login::user).orElse("")
            + "' (" + why + "); check user and password.", null);
    }

    private AbstractResponse ask(Wire wire, ResponseFrames in, AbstractRequest request, short version) throws IOException {
        RequestHeader header = new RequestHeader(request.apiKey(), version, settings.clientId(), --requests);
        wire.write(frame(request, header));
        in.await(wire);
        return AbstractResponse.parseResponse(in.rest(), header);
    }

    /** Encodes a request with its length. */
    public static ByteBuffer frame(AbstractRequest request, RequestHeader header) {
        ByteBuffer content = request.serializeWithHeader(header);
        return ByteBuffer.allocate(Integer.BYTES + content.remaining()).putInt(content.remaining()).put(content).flip();
    }
}
