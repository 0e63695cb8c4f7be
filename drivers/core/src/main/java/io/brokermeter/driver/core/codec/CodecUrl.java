package io.brokermeter.driver.core.codec;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;

/**
 * The parts of a broker URL that this package understands. Sizes are in bytes, times in milliseconds; names and defaults are those of Artemis'
 * client.
 *
 * @param servers the brokers to try, in this order
 * @param tls settings of TLS; empty for plain TCP
 * @param confirmationWindow window of sessions with a producer, 0 or more
 * @param windowForAll whether sessions of consumers have the window, too
 * @param producerWindow credit that a producer asks for at once, -1 for no flow control
 * @param consumerWindow bytes that the broker may send ahead, -1 for no limit, 0 for one message at a time
 * @param minLargeMessageSize size of a body from which it is sent in pieces
 * @param connectionTtl the longest silence of either side, -1 for no limit
 * @param checkPeriod time between keep-alives
 */
public record CodecUrl(
        List<ServerUrl.Server> servers, Optional<TlsOptions> tls, int confirmationWindow, boolean windowForAll, int producerWindow,
        int consumerWindow, int minLargeMessageSize, long connectionTtl, long checkPeriod) {

    private static final int PORT = 61616;

    /** The part of a URL that only Artemis' client supports, as the message. */
    private static final class ObstacleException extends Exception {

        private static final long serialVersionUID = 1L;

        ObstacleException(String what) {
            super(what);
        }
    }

    /**
     * Returns the part of a URL that only Artemis' client supports, in a few words; empty if {@link #read} can read the URL.
     *
     * @throws IllegalArgumentException with one sentence if there is no obstacle but a trust or key store that cannot be read
     */
    public static String obstacle(BrokerUrl url) {
        try {
            parse(url, false);
            return "";
        } catch (ObstacleException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Reads a URL for which there is no {@link #obstacle}. Of several brokers each call begins with any of them, as each connection of the
     * client does, so that connections spread.
     *
     * @param windowForAll whether the user chose the confirmation window, which then holds for all sessions
     * @throws IllegalArgumentException with one sentence if a trust or key store cannot be read
     */
    public static CodecUrl read(BrokerUrl url, boolean windowForAll) {
        try {
            return parse(url, windowForAll);
        } catch (ObstacleException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static CodecUrl parse(BrokerUrl url, boolean windowForAll) throws ObstacleException {
        List<ServerUrl.Server> servers = servers(url);
        int confirmation = -1;
        int producer = ActiveMQClient.DEFAULT_PRODUCER_WINDOW_SIZE;
        int consumer = ActiveMQClient.DEFAULT_CONSUMER_WINDOW_SIZE;
        int large = ActiveMQClient.DEFAULT_MIN_LARGE_MESSAGE_SIZE;
        long ttl = ActiveMQClient.DEFAULT_CONNECTION_TTL;
        long check = ActiveMQClient.DEFAULT_CLIENT_FAILURE_CHECK_PERIOD;
        for (var parameter : url.parameters()) {
            String value = parameter.value();
            switch (parameter.name()) {
                case "confirmationWindowSize" -> confirmation = (int) number(parameter, 0);
                case "producerWindowSize" -> producer = (int) number(parameter, -1);
                case "consumerWindowSize" -> consumer = (int) number(parameter, -1);
                case "minLargeMessageSize" -> large = (int) number(parameter, 1);
                case "connectionTTL" -> ttl = number(parameter, -1);
                case "clientFailureCheckPeriod" -> check = number(parameter, 1);
                // sends here never block, and the confirmation is the broker's either way
                case "blockOnDurableSend", "blockOnNonDurableSend" -> {}
                case "tcpNoDelay" -> require(parameter, value.equalsIgnoreCase("true"));
                case "blockOnAcknowledge", "autoGroup", "preAcknowledge", "compressLargeMessage" ->
                    require(parameter, value.equalsIgnoreCase("false"));
                case "reconnectAttempts", "failoverAttempts" -> require(parameter, value.equals("0"));
                default -> require(parameter, CodecTls.has(parameter.name()));
            }
        }
        if (confirmation < 0 || producer == 0 || ttl == 0) {
            throw new ObstacleException(confirmation < 0 ? "a URL without a confirmation window" : producer == 0
                ? "the parameter producerWindowSize=0" : "the parameter connectionTTL=0");
        }
        String secure = CodecTls.isEnabled(url) ? CodecTls.obstacle(url) : "";
        if (!secure.isEmpty()) {
            throw new ObstacleException(secure);
        }
        return new CodecUrl(servers, CodecTls.options(url), confirmation, windowForAll, producer, consumer, large, ttl, check);
    }

    private static List<ServerUrl.Server> servers(BrokerUrl url) throws ObstacleException {
        List<String> brokers = url.brokers();
        if (!url.isList() && brokers.size() > 1) {
            throw new ObstacleException("a list of brokers behind #");
        }
        List<ServerUrl.Server> servers = new ArrayList<>();
        for (String broker : brokers) {
            URI uri;
            try {
                uri = new URI(broker.strip());
            } catch (URISyntaxException e) {
                throw new ObstacleException("this form of URL");
            }
            if (uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null
                || (uri.getPath() != null && !uri.getPath().isEmpty() && !uri.getPath().equals("/"))) {
                throw new ObstacleException("this form of URL");
            }
            if (url.isList() && uri.getQuery() != null) {
                throw new ObstacleException("parameters of single brokers");
            }
            String host = uri.getHost();
            servers.add(new ServerUrl.Server(host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host,
                uri.getPort() < 0 ? PORT : uri.getPort()));
        }
        Collections.rotate(servers, ThreadLocalRandom.current().nextInt(servers.size()));
        return servers;
    }

    private static void require(BrokerUrl.Parameter parameter, boolean isSupported) throws ObstacleException {
        if (!isSupported) {
            throw new ObstacleException("the parameter " + parameter.name());
        }
    }

    private static long number(BrokerUrl.Parameter parameter, long least) throws ObstacleException {
        try {
            long value = Long.parseLong(parameter.value());
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException e) {
            // a form that only the client reads
        }
        throw new ObstacleException("the parameter " + parameter.name() + "=" + parameter.value());
    }
}
