package io.brokermeter.driver.kafka.fetch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.brokermeter.driver.kafka.link.Greeting;
import io.brokermeter.driver.kafka.link.LeaderLink;
import io.brokermeter.driver.kafka.link.ResponseFrames;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a consumer to one broker. Its thread asks for the partitions that this broker leads, one question at a time: the next one
 * goes out when the answer has arrived, so that the broker works while the consumer takes the messages.
 */
final class FetchLink extends LeaderLink {

    /** The number of answers that the consumer has not taken or that are arriving. */
    private static final int ROOMS = 2;
    private static final long LOOK = TimeUnit.SECONDS.toNanos(1);
    private static final int BEFORE_TRANSACTIONS = 24;

    private final Fetcher fetcher;
    private final FetchRequest request;

    // guarded by the consumer's lock
    /** Signalled when there may be something to ask for. */
    final Condition askable;
    private final Deque<FetchAnswer> free = new ArrayDeque<>();
    private final List<FetchPlace> asked = new ArrayList<>();
    private int number;
    private int turn;

    FetchLink(int node, Fetcher fetcher, FetchSettings settings, String topic, Greeting.Greeted greeted) {
        super(node, greeted.wire());
        this.fetcher = fetcher;
        this.request = new FetchRequest(settings, topic);
        this.askable = fetcher.lock.newCondition();
        free.add(new FetchAnswer(this, greeted.in()));
        while (free.size() < ROOMS) {
            free.add(new FetchAnswer(this, new ResponseFrames(Fetcher.LARGEST_ANSWER)));
        }
    }

    @Override
    public boolean isOwed() {
        return !asked.isEmpty();
    }

    @Override
    protected void work() {
        try {
            for (FetchAnswer answer = ask(); answer != null; answer = ask()) {
                wire.write(request.end());
                answer.in.await(wire);
                answered(answer);
            }
        } catch (Throwable e) {
            fetcher.broke(this, e);
        }
    }

    /** Waits until there is something to ask for and room for the answer, which it returns; null if the connection has ended. */
    private @Nullable FetchAnswer ask() throws InterruptedException {
        fetcher.lock.lock();
        try {
            while (isUp()) {
                long wait = LOOK;
                if (!free.isEmpty()) {
                    wait = choose(System.nanoTime());
                    if (!asked.isEmpty()) {
                        return free.remove();
                    }
                }
                askable.awaitNanos(wait);
            }
            return null;
        } finally {
            fetcher.lock.unlock();
        }
    }

    /** Encodes the next question if there is one; returns the time in nanoseconds until there may be one. */
    private long choose(long now) {
        long wait = LOOK;
        List<FetchPlace> places = fetcher.places;
        int count = places.size();
        number = number + 1 & Integer.MAX_VALUE;
        request.begin(number);
        // the first one that has messages gets the most of the answer, so each is the first one in turn
        turn = turn + 1 < count ? turn + 1 : 0;
        for (int i = 0; i < count; i++) {
            FetchPlace each = places.get(turn + i < count ? turn + i : turn + i - count);
            if (!each.isAskable(this)) {
                continue;
            }
            long early = each.notBefore - now;
            if (early > 0) {
                wait = Math.min(wait, early);
                continue;
            }
            each.ask(this);
            asked.add(each);
            request.add(each.partition, each.next);
        }
        return wait;
    }

    // ---- answers

    private void answered(FetchAnswer answer) throws IOException {
        fetcher.lock.lock();
        try {
            read(answer);
            asked.forEach(each -> each.asking = null);
            asked.clear();
            if (answer.isEmpty()) {
                free.add(answer);
            } else {
                fetcher.arrived(answer);
            }
        } finally {
            fetcher.lock.unlock();
        }
    }

    private void read(FetchAnswer answer) throws IOException {
        answer.begin();
        ByteBuffer in = answer.in.buffer();
        if (in.getInt() != number) {
            throw new IOException("it answered a request that was not made");
        }
        in.getInt(); // how long the broker delays the next answer by itself
        Errors error = Errors.forCode(in.getShort());
        if (error != Errors.NONE) {
            throw error.exception();
        }
        in.getInt(); // the session
        for (int topics = in.getInt(); topics > 0; topics--) {
            answer.in.skipText();
            for (int count = in.getInt(); count > 0; count--) {
                readPartition(answer, in);
            }
        }
    }

    private void readPartition(FetchAnswer answer, ByteBuffer in) throws IOException {
        int partition = in.getInt();
        short error = in.getShort();
        int transactions = Math.max(0, in.getInt(in.position() + BEFORE_TRANSACTIONS));
        int aborted = in.position() + BEFORE_TRANSACTIONS + Integer.BYTES;
        in.position(aborted + transactions * RecordWalk.TRANSACTION);
        in.getInt(); // the replica to ask instead, which only consumers with a rack are told
        int length = Math.max(0, in.getInt());
        int from = in.position();
        in.position(from + length);
        FetchPlace place = partition >= 0 && partition < fetcher.places.size() ? fetcher.places.get(partition) : null;
        if (place == null || place.asking != this) {
            throw new IOException("it answered for a partition that was not asked for");
        }
        if (place.turn != place.askedTurn) {
            return; // assigned anew meanwhile
        }
        long behind = error == 0 ? RecordWalk.behind(in, from, from + length, place.askedAt) : place.askedAt;
        if (error == 0 && behind == place.askedAt && length > 0 && place == asked.getFirst()) {
            // only behind the first partition with messages may a batch be cut off
            error = Errors.MESSAGE_TOO_LARGE.code();
        }
        if (error != 0 && fetcher.passes(this, place, Errors.forCode(error))) {
            return;
        }
        if (error == 0 && behind == place.askedAt) {
            return;
        }
        place.next = behind;
        place.halted = error != 0;
        FetchedPart part = answer.add();
        part.partition = partition;
        part.turn = place.turn;
        part.position = place.askedAt;
        part.from = from;
        part.to = from + length;
        part.aborted = aborted;
        part.transactions = transactions;
        part.error = error;
    }

    /** Makes the room of an answer free for the next one. Under the lock. */
    void free(FetchAnswer answer) {
        free.add(answer);
        askable.signal();
    }

    // ---- ends

    /** Also lets any connection ask for what was asked for here. */
    @Override
    protected void ended(Exception cause) {
        asked.forEach(FetchPlace::unasked);
        asked.clear();
        askable.signal();
    }

    /** Ends the connection if its broker has left a question unanswered for too long. Under the lock. */
    void look() {
        DisconnectException late = late(asked.isEmpty() ? null : number);
        if (late != null) {
            fetcher.broke(this, late);
        }
    }
}
