package io.brokermeter.driver.rocketmq;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.jspecify.annotations.Nullable;

/** Replaces brokers' addresses in what name servers answer. */
final class RouteRewriting implements RPCHook {

    private final Map<String, String> addresses;

    /** @param addresses advertised to reachable, each {@code host:port} */
    RouteRewriting(Map<String, String> addresses) {
        this.addresses = addresses;
    }

    @Override
    public void doBeforeRequest(String server, RemotingCommand request) {
        // only answers matter
    }

    @Override
    public void doAfterResponse(String server, RemotingCommand request, @Nullable RemotingCommand response) {
        int code = request.getCode();
        if (response == null || response.getBody() == null
            || code != RequestCode.GET_ROUTEINFO_BY_TOPIC && code != RequestCode.GET_BROKER_CLUSTER_INFO) {
            return;
        }
        String body = new String(response.getBody(), StandardCharsets.UTF_8);
        for (Map.Entry<String, String> address : addresses.entrySet()) {
            body = body.replace("\"" + address.getKey() + "\"", "\"" + address.getValue() + "\"");
        }
        response.setBody(body.getBytes(StandardCharsets.UTF_8));
    }
}
