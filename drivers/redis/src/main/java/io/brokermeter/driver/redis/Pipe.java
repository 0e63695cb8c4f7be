package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.commands.ProtocolCommand;

/** A connection of the client whose commands are written when {@link #push()} says so; one thread may read meanwhile. */
final class Pipe extends Connection {

    Pipe(HostAndPort server, JedisClientConfig settings) {
        super(server, settings);
    }

    /** Writes what was sent. */
    void push() {
        flush();
    }

    /** The next answer; throws the server's error when it is one. */
    Object answer() {
        return readProtocolWithCheckingBroken();
    }

    /** Sends one command and waits for its answer. */
    Object ask(ProtocolCommand command, String... arguments) {
        byte[][] bytes = new byte[arguments.length][];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = arguments[i].getBytes(StandardCharsets.UTF_8);
        }
        sendCommand(command, bytes);
        push();
        return answer();
    }

    /** Closes the socket, which ends a read in another thread. */
    void drop() {
        try {
            forceDisconnect();
        } catch (IOException e) {
            // it is closed already
        }
    }
}
