package io.brokermeter.driver.rocketmq;

import java.util.List;

import io.brokermeter.driver.rocketmq.route.RouteRewriting;
import io.brokermeter.spi.parameter.Secret;
import org.apache.rocketmq.acl.common.AclClientRPCHook;
import org.apache.rocketmq.acl.common.SessionCredentials;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.jspecify.annotations.Nullable;

/** The hooks that process every request and answer: signing with the user's key, and replacing addresses. */
final class Hooks {

    private Hooks() {}

    /** Returns the hook for a client, or null if none is needed. */
    static @Nullable RPCHook of(RocketMqSettings settings) {
        Secret password = settings.password;
        RPCHook signing = settings.user == null || password == null ? null
            : new AclClientRPCHook(new SessionCredentials(settings.user, password.reveal()));
        RPCHook rewriting = settings.addresses.isEmpty() ? null : new RouteRewriting(settings.addresses);
        if (signing == null || rewriting == null) {
            return signing == null ? rewriting : signing;
        }
        return new Both(List.of(rewriting, signing));
    }

    private record Both(List<RPCHook> hooks) implements RPCHook {

        @Override
        public void doBeforeRequest(String server, RemotingCommand request) {
            hooks.forEach(hook -> hook.doBeforeRequest(server, request));
        }

        @Override
        public void doAfterResponse(String server, RemotingCommand request, RemotingCommand response) {
            hooks.forEach(hook -> hook.doAfterResponse(server, request, response));
        }
    }
}
