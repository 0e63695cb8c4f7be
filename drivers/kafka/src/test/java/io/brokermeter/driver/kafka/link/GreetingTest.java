package io.brokermeter.driver.kafka.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.callback.Callback;
import javax.security.sasl.SaslException;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslServer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The login, against Kafka's own side of it. */
class GreetingTest {

    private static final ServerUrl.Server SERVER = new ServerUrl.Server("h", 1);
    private static final String PASSWORD = "päss, = word";

    /** The broker's side of a connection, which answers each request as it is written. */
    private static final class Broker implements Wire {

        private final List<String> mechanisms;
        private final int produce;
        private ByteBuffer answers = ByteBuffer.allocate(0);
        private String mechanism = "";
        private @Nullable ScramSaslServer scram;

        Broker(int produce, String... mechanisms) {
            this.produce = produce;
            this.mechanisms = List.of(mechanisms);
        }

        @Override
        public int read(ByteBuffer into) {
            int count = Math.min(into.remaining(), answers.remaining());
            into.put(answers.slice().limit(count));
            answers.position(answers.position() + count);
            return count;
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            assertThat(from.getInt()).isEqualTo(from.remaining());
            RequestHeader header = RequestHeader.parse(from);
            ByteBuffer body;
            try {
                body = MessageUtil.toByteBufferAccessor(answer(header, from), header.apiVersion()).buffer();
            } catch (Exception e) {
                throw new IOException(e);
            }
            answers =
                ByteBuffer.allocate(8 + body.remaining()).putInt(4 + body.remaining()).putInt(header.correlationId()).put(body).flip();
            from.position(from.limit());
        }

        private ApiMessage answer(RequestHeader header, ByteBuffer in) throws Exception {
            var accessor = new ByteBufferAccessor(in);
            return switch (header.apiKey()) {
                case API_VERSIONS -> {
                    var known = new ApiVersionsResponseData.ApiVersionCollection();
                    known.add(new ApiVersionsResponseData.ApiVersion().setApiKey(ApiKeys.PRODUCE.id).setMaxVersion((short) produce));
                    yield new ApiVersionsResponseData().setApiKeys(known);
                }
                case SASL_HANDSHAKE -> {
                    mechanism = new SaslHandshakeRequestData(accessor, header.apiVersion()).mechanism();
                    boolean known = mechanisms.contains(mechanism);
                    if (known && mechanism.startsWith("SCRAM")) {
                        var kind = ScramMechanism.forMechanismName(mechanism);
                        var credential = new ScramFormatter(kind).generateCredential(PASSWORD, 4096);
                        scram = new ScramSaslServer(kind, Map.of(), callbacks -> {
                            for (Callback each : callbacks) {
                                if (each instanceof ScramCredentialCallback asks) {
                                    asks.scramCredential(credential);
                                }
                            }
                        });
                    }
                    yield new SaslHandshakeResponseData().setMechanisms(mechanisms)
                        .setErrorCode((known ? Errors.NONE : Errors.UNSUPPORTED_SASL_MECHANISM).code());
                }
                case SASL_AUTHENTICATE -> authenticate(new SaslAuthenticateRequestData(accessor, header.apiVersion()).authBytes());
                default -> throw new IllegalStateException("an unexpected request: " + header.apiKey());
            };
        }

        private ApiMessage authenticate(byte[] said) {
            ScramSaslServer server = scram;
            try {
                if (server != null) {
                    return new SaslAuthenticateResponseData().setAuthBytes(server.evaluateResponse(said));
                }
                if (new String(said, StandardCharsets.UTF_8).equals("\0me\0" + PASSWORD)) {
                    return new SaslAuthenticateResponseData();
                }
            } catch (SaslException | SaslAuthenticationException e) {
                // refused
            }
            return new SaslAuthenticateResponseData().setErrorCode(Errors.SASL_AUTHENTICATION_FAILED.code()).setErrorMessage("no entry");
        }

        @Override
        public void end() {}

        @Override
        public void close() {}
    }

    private static void greet(Broker broker, String mechanism, String password) throws IOException {
        var config =
            new ProducerConfig(Map.of("bootstrap.servers", "localhost:1", "client.id", "test", "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", mechanism, "key.serializer", ByteArraySerializer.class, "value.serializer", ByteArraySerializer.class));
        var settings = LinkSettings.of(config,
            new ConnectionSettings("kafka://h", "me", Secret.of(password), null, Duration.ofSeconds(5)), Optional.empty(), TlsNames.OWN);
        new Greeting(settings, Map.of(ApiKeys.PRODUCE, (short) 8), 1 << 20).greet(broker, SERVER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void logsIn(String mechanism) throws Exception {
        var broker = new Broker(9, "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512");
        greet(broker, mechanism, PASSWORD);
        assertThat(broker.mechanism).isEqualTo(mechanism);
        assertThat(broker.scram == null || broker.scram.isComplete()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void saysThatALoginIsRefused(String mechanism) {
        assertThatThrownBy(() -> greet(new Broker(9, mechanism), mechanism, "wrong")).isInstanceOf(DriverException.class)
            .hasMessage("The broker refused user 'me' (no entry); check user and password.");
    }

    @Test
    void namesTheLoginsThatABrokerHas() {
        assertThatThrownBy(() -> greet(new Broker(9, "SCRAM-SHA-512", "GSSAPI"), "PLAIN", PASSWORD)).isInstanceOf(DriverException.class)
            .hasMessage("The broker has no login by PLAIN, only by SCRAM-SHA-512, GSSAPI; set sasl.mechanism.");
    }

    @Test
    void saysWhatAnOldBrokerLacks() {
        assertThatThrownBy(() -> greet(new Broker(7, "PLAIN"), "PLAIN", PASSWORD)).isInstanceOf(UnsuitedBroker.class)
            .hasMessageContaining("h:1 does not know version 8 of Kafka's request Produce");
    }
}
