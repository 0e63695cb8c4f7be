package io.brokermeter.driver.redis;

import org.jspecify.annotations.Nullable;

/** The command by which a consumer reads its stream, encoded again only where a read differs from the one before. */
final class ReadCommand {

    private final String stream;
    private final @Nullable String group;
    private final String member;
    private byte[] command = {};
    private int size;
    private long millis;

    /** @param group the group of the member; null to read alone, and then the last id follows the command */
    ReadCommand(String stream, @Nullable String group, String member) {
        this.stream = stream;
        this.group = group;
        this.member = member;
    }

    /** Returns the command for a read of up to {@code messages} messages that blocks for a time in the server. */
    byte[] of(int messages, long blockMillis) {
        if (size != messages || millis != blockMillis) {
            size = messages;
            millis = blockMillis;
            String count = Integer.toString(messages);
            String block = Long.toString(blockMillis);
            command = group == null ? RedisSocket.command(1, "XREAD", "COUNT", count, "BLOCK", block, "STREAMS", stream)
                : RedisSocket.command("XREADGROUP", "GROUP", group, member, "COUNT", count, "BLOCK", block, "STREAMS", stream, ">");
        }
        return command;
    }
}
