package io.brokermeter.driver.rocketmq;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.driver.rocketmq.library.ClientProperties;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Directions;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.rocketmq.client.producer.TransactionMQProducer;

/**
 * Directs clients to other addresses of brokers than those that the name server returns, by the parameter that replaces them. Thread-safe.
 */
record RouteDirections(RocketMqDriver driver) implements Directions {

    private static final String NO_PROXY = "{}";

    @Override
    public void check(ConnectionSettings settings) {
        RocketMqSettings read = RocketMqSettings.of(driver, settings);
        if (read.client.isEmpty()) {
            return;
        }
        // discarded; it has the properties of both sides that matter here
        TransactionMQProducer client = new TransactionMQProducer("check");
        ClientProperties.apply(read.client, client);
        if (client.isVipChannelEnabled()) {
            throw new IllegalArgumentException("Parameter vipChannelEnabled of protocol ROCKETMQ sends to another port of each broker than "
                + "the one that the name server names, and around a proxy; leave it out.");
        }
        if (client.getSocksProxyConfig() != null && !client.getSocksProxyConfig().strip().equals(NO_PROXY)) {
            throw new IllegalArgumentException(
                "Parameter socksProxyConfig of protocol ROCKETMQ connects by other proxies, which lead around "
                    + "the one that is to stand before the broker; leave it out.");
        }
    }

    @Override
    public Map<String, ServerUrl.Server> ask(ConnectionSettings settings) throws Exception {
        Map<String, String> own = RocketMqSettings.of(driver, settings).addresses;
        Map<String, ServerUrl.Server> reached = new LinkedHashMap<>();
        for (String told : AdminConnection.addresses(RocketMqSettings.of(driver, leading(settings, Map.of())))) {
            reached.put(told, server(own.getOrDefault(told, told)));
        }
        return reached;
    }

    private static ServerUrl.Server server(String address) throws DriverException {
        return AdminConnection.server(address)
            .orElseThrow(() -> new DriverException("A broker's address, '" + address + "', is no host and port.", null));
    }

    @Override
    public ConnectionSettings leading(ConnectionSettings settings, Map<String, ServerUrl.Server> instead) {
        return settings.withUrl(RocketMqSettings.commas(withoutAddresses(settings.url()))).withProperty(RocketMqSettings.ADDRESSES,
            instead.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).collect(Collectors.joining(",")));
    }

    /** Removes the parameter from the URL, since it may be in the URL or beside it. */
    private static String withoutAddresses(String url) {
        int query = url.indexOf('?');
        if (query < 0) {
            return url;
        }
        String others =
            Arrays.stream(url.substring(query + 1).split("&")).filter(part -> !part.startsWith(RocketMqSettings.ADDRESSES + "="))
                .collect(Collectors.joining("&"));
        return url.substring(0, query) + (others.isEmpty() ? "" : "?" + others);
    }
}
