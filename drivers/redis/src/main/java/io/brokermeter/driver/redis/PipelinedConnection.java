package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * A connection of the client whose commands are written only when {@link #push()} is called; one thread may read meanwhile. It parses
 * answers itself, since the client allocates a buffer of any length that a server announces.
 */
final class PipelinedConnection extends Connection {

    /** The longest text that Redis allows by default, in bytes. */
    private static final int LONGEST = 512 * 1024 * 1024;
    private static final int MOST_ELEMENTS = 16 * 1024 * 1024;
    private static final int DEEPEST = 16;
    /** Room in bytes that is allocated at once; more only after that has been filled. */
    private static final int SMALL = 1024 * 1024;
    private static final int FEW = 1024;

    private final @Nullable Sockets sockets;
    private volatile boolean dropped;

    PipelinedConnection(HostAndPort server, JedisClientConfig settings) {
        super(server, settings);
        this.sockets = null;
    }

    /** Creates a connection over TLS. */
    PipelinedConnection(Sockets sockets, JedisClientConfig settings) {
        super(sockets, settings);
        this.sockets = sockets;
    }

    /** Connects, unless this connection was dropped: the client would connect anew for the next command, without a login. */
    @Override
    public void connect() {
        if (dropped) {
            throw new JedisConnectionException("The connection is closed.");
        }
        super.connect();
    }

    /** Writes the commands that were sent. */
    void push() {
        flush();
    }

    /** Returns the next answer; throws the server's error if the answer is one. */
    Object answer() {
        return readProtocolWithCheckingBroken();
    }

    @Override
    protected @Nullable Object protocolRead(RedisInputStream in, PushConsumerChain pushes) {
        Object read = read(in, DEEPEST);
        if (read instanceof JedisDataException error) {
            throw error;
        }
        return read;
    }

    /** Reads bytes, a number, a list of these, null, or an error, which is returned and not thrown. */
    private static @Nullable Object read(RedisInputStream in, int depth) {
        byte type = in.readByte();
        return switch (type) {
            case '+' -> in.readLineBytes();
            case '-' -> error(in.readLine());
            case ':' -> in.readLongCrLf();
            case '$' -> bytes(in, length(in, LONGEST, "a text of", "bytes"));
            case '*' -> list(in, length(in, MOST_ELEMENTS, "a list of", "elements"), depth);
            default -> throw new JedisConnectionException("The server sent something that is no answer of Redis, beginning with byte "
                + (type & 0xff) + ".");
        };
    }

    private static JedisDataException error(String text) {
        return text.startsWith("NOAUTH") || text.startsWith("WRONGPASS") || text.startsWith("NOPERM")
            ? new JedisAccessControlException(text) : new JedisDataException(text);
    }

    /** @return the length; -1 for a null value */
    private static int length(RedisInputStream in, int most, String what, String unit) {
        long length = in.readLongCrLf();
        if (length < -1 || length > most) {
            throw new JedisConnectionException("The server announced " + what + " " + length + " " + unit + "; more than " + most
                + " are not taken.");
        }
        return (int) length;
    }

    private static byte @Nullable [] bytes(RedisInputStream in, int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[Math.min(length, SMALL)];
        int count = 0;
        while (count < length) {
            if (count == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * count));
            }
            int read = in.read(bytes, count, bytes.length - count);
            if (read < 0) {
                throw new JedisConnectionException("The server closed the connection in the midst of an answer.");
            }
            count += read;
        }
        in.readByte();
        in.readByte();
        return bytes;
    }

    private static @Nullable List<@Nullable Object> list(RedisInputStream in, int length, int depth) {
        if (length < 0) {
            return null;
        }
        if (depth == 0) {
            throw new JedisConnectionException("The server sent lists in lists, more than " + DEEPEST + " deep.");
        }
        List<@Nullable Object> list = new ArrayList<>(Math.min(length, FEW));
        for (int i = 0; i < length; i++) {
            list.add(read(in, depth - 1));
        }
        return list;
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
        dropped = true;
        Sockets encrypted = sockets;
        if (encrypted != null) {
            encrypted.close();
        }
        try {
            forceDisconnect();
        } catch (IOException e) {
            // closed already
        }
    }
}
