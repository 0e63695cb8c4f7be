package io.brokermeter.driver.rocketmq;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSessionContext;

import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import org.apache.rocketmq.remoting.RemotingClient;
import org.apache.rocketmq.remoting.netty.NettyRemotingAbstract;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one connection. By itself the client trusts every certificate of every host, or with its own TLS files checks only the
 * authority; therefore our context is installed before it starts.
 */
final class RocketMqTls {

    private final TlsOptions options;
    private final Map<SSLEngine, String> hosts = Collections.synchronizedMap(new WeakHashMap<>());
    private @Nullable Tls tls;
    private @Nullable SslContext context;

    RocketMqTls(TlsOptions options) {
        this.options = options;
    }

    TlsOptions options() {
        return options;
    }

    private synchronized Tls tls() throws DriverException {
        Tls known = tls;
        if (known == null) {
            known = Tls.open(options);
            tls = known;
        }
        return known;
    }

    private synchronized SslContext context() throws IOException {
        SslContext known = context;
        if (known == null) {
            Tls files = tls();
            SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).trustManager(files.trustOf(hosts::get));
            KeyManager[] keys = files.keyManagers();
            if (keys != null) {
                builder.keyManager(keys[0]);
            }
            known = new WithHost(builder.build(), files);
            context = known;
        }
        return known;
    }

    /** Makes a client that has not been started use this TLS context. */
    void install(RemotingClient client) throws IOException {
        try {
            Field field = NettyRemotingAbstract.class.getDeclaredField("sslContext");
            field.setAccessible(true);
            field.set(client, context());
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new DriverException("This version of RocketMQ's client cannot be told whom to trust.", e);
        }
    }

    /** Returns why TLS with one of the servers fails, which the client does not report; empty if TLS is not the reason. */
    Optional<String> refusal(List<ServerUrl.Server> servers, Duration limit) {
        try {
            return new CertificateProbe(tls(), TlsNames.OWN).sentence(servers, limit);
        } catch (DriverException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String toString() {
        return "Encryption";
    }

    /** A context that records the host of an engine before the engine connects to it. */
    private final class WithHost extends SslContext {

        private final SslContext context;
        private final Tls files;

        WithHost(SslContext context, Tls files) {
            this.context = context;
            this.files = files;
        }

        @Override
        protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls) {
            SSLEngine engine = newEngine(allocator);
            SSLParameters parameters = engine.getSSLParameters();
            files.nameServer(parameters);
            engine.setSSLParameters(parameters);
            return new Handler(engine, startTls);
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator allocator) {
            return context.newEngine(allocator);
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
            return context.newEngine(allocator, host, port);
        }

        @Override
        public boolean isClient() {
            return true;
        }

        @Override
        public List<String> cipherSuites() {
            return context.cipherSuites();
        }

        @Override
        @SuppressWarnings("deprecation") // must be implemented although it is deprecated
        public io.netty.handler.ssl.ApplicationProtocolNegotiator applicationProtocolNegotiator() {
            return context.applicationProtocolNegotiator();
        }

        @Override
        public SSLSessionContext sessionContext() {
            return context.sessionContext();
        }
    }

    private final class Handler extends SslHandler {

        Handler(SSLEngine engine, boolean startTls) {
            super(engine, startTls);
        }

        @Override
        public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local,
                ChannelPromise promise) throws Exception {
            if (remote instanceof InetSocketAddress address) {
                hosts.put(engine(), address.getHostString());
            }
            super.connect(context, remote, local, promise);
        }
    }
}
