package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.WriteBuffer;
import org.jspecify.annotations.Nullable;

/** Acknowledgements of one consumer, which are written together with its next command, and whose answers are read before the next one's. */
final class AcknowledgementPipeline {

    /** The room for the head of a command: a star, a number and a line end. */
    private static final int HEAD = 24;

    private final RedisSocket socket;
    /** What stands before the ids of an XACK and of an XDEL, without the number of words. */
    private final byte[] acknowledgement;
    private final byte[] deletion;
    private final boolean deletes;
    private final int batch;
    private int answersDue;

    /**
     * @param deletes whether messages are deleted when they are acknowledged
     * @param batch how many messages are acknowledged with one command
     */
    AcknowledgementPipeline(RedisSocket socket, String stream, @Nullable String group, boolean deletes, int batch) {
        this.socket = socket;
        this.acknowledgement = group == null ? new byte[0] : RedisSocket.words("XACK", stream, group);
        this.deletion = RedisSocket.words("XDEL", stream);
        this.deletes = deletes;
        this.batch = batch;
    }

    /** Returns whether there are as many messages as are acknowledged with one command. */
    boolean isBatch(Ids ids) {
        return ids.count() == batch;
    }

    /** Appends the acknowledgement of messages. */
    void acknowledge(Ids ids) {
        append(3, acknowledgement, ids);
        if (deletes) {
            append(2, deletion, ids);
        }
    }

    /** Returns whether Redis has not confirmed everything that was appended. */
    boolean isAnswerDue() {
        return answersDue > 0;
    }

    /**
     * Appends a command with ids, whose answer is read later.
     *
     * @param others number of its other words
     * @param before words before the ids
     */
    void append(int others, byte[] before, Ids ids) {
        answersDue++;
        ByteBuffer out = socket.room(HEAD + before.length + ids.length()).put((byte) '*');
        WriteBuffer.decimal(out, ids.count() + others).put((byte) '\r').put((byte) '\n').put(before);
        ids.put(out);
        socket.appended();
    }

    /** Moves to the answer to the last command, after reading those of the acknowledgements before it. */
    void ask(boolean whole) throws IOException {
        if (answersDue == 0) {
            socket.ask(whole);
            return;
        }
        socket.ask(true);
        while (--answersDue > 0) {
            socket.answer(true);
        }
        socket.answer(whole);
    }
}
