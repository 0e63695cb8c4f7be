package io.brokermeter.hosts.artemis;

import java.util.Map;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.Host;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the child process of an Artemis broker. Its settings: {@code user}, with the secret {@code user};
 * {@code key-store}, with the secret {@code key-store}; {@code forbid}, any number of address prefixes under which
 * nothing is created automatically; {@code journal}, one of nio, asyncio, mapped; and for one of a pair {@code role},
 * primary or backup, {@code peer}, the port of the other, {@code store}, the directory that both share, and the secret
 * {@code pair}.
 */
public final class ArtemisHost implements Host {

    private @Nullable EmbeddedArtemis broker;

    private ArtemisHost() { }

    public static void main(String[] arguments) {
        HostProgram.run(new ArtemisHost(), arguments);
    }

    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        EmbeddedArtemis started = EmbeddedArtemis.start(arguments, data, secrets);
        broker = started;
        return Ports.of(started.port());
    }

    @Override
    public void stop() throws Exception {
        if (broker != null) {
            broker.stop();
        }
    }
}
