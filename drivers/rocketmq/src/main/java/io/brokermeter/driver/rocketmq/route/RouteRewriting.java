package io.brokermeter.driver.rocketmq.route;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.jspecify.annotations.Nullable;

/** Replaces the addresses of brokers in the answers of name servers. */
public final class RouteRewriting implements RPCHook {

    private final Map<String, String> addresses;
    /** Matches all addresses at once, since the replacement of one address may be another address to replace. */
    private final Pattern any;

    /** @param addresses reachable addresses by advertised ones, each {@code host:port}; at least one */
    public RouteRewriting(Map<String, String> addresses) {
        this.addresses = addresses;
        this.any = Pattern.compile(addresses.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|", "\"(", ")\"")));
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
        response.setBody(any.matcher(body)
            .replaceAll(found -> Matcher.quoteReplacement("\"" + addresses.get(found.group(1)) + "\"")).getBytes(StandardCharsets.UTF_8));
    }
}
