package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A listener that records its calls and waits for further ones. */
class RecordingListener implements ClusterListener {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    final List<String> all = new ArrayList<>();
    final List<Member> members = new ArrayList<>();
    final List<PeerRefusal> refusals = new ArrayList<>();
    final List<String> texts = new ArrayList<>();

    @Override
    public void joined(Member member) {
        note(() -> {
            members.add(member);
            all.add("joined " + member.name());
        });
    }

    @Override
    public void left(Member member, Departure why) {
        note(() -> {
            members.remove(member);
            all.add("left " + member.name() + " " + why);
        });
    }

    @Override
    public void message(Member from, String json) {
        note(() -> {
            texts.add(json);
            all.add("from " + from.name() + " " + (json.length() < 100 ? json : json.length() + " characters"));
        });
    }

    @Override
    public void refused(PeerRefusal refusal) {
        note(() -> {
            refusals.add(refusal);
            all.add("refused " + refusal.reason() + ": " + refusal.sentence());
        });
    }

    private synchronized void note(Runnable what) {
        what.run();
        notifyAll();
    }

    /**
     * Waits until a condition holds.
     *
     * @return time waited, in milliseconds
     */
    synchronized long await(String what, Predicate<RecordingListener> condition) {
        long begin = System.nanoTime();
        while (!condition.test(this)) {
            long left = PATIENCE.toMillis() - (System.nanoTime() - begin) / 1_000_000;
            assertThat(left).as("time to wait for '%s'; heard: %s; complaints: %s", what, all, Cluster.complaints()).isPositive();
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return (System.nanoTime() - begin) / 1_000_000;
    }

    long await(String line) {
        return await(line, heard -> heard.all.contains(line));
    }

    /** Waits for a refusal. On a busy machine handshakes may be too late, so that strangers are refused as well. */
    synchronized PeerRefusal refusal(PeerRefusal.Reason reason) {
        await("refusal " + reason, heard -> heard.refusals.stream().anyMatch(one -> one.reason() == reason));
        return refusals.stream().filter(one -> one.reason() == reason).findFirst().orElseThrow();
    }

    /** Returns a member. On a busy machine one that joined may have fallen silent meanwhile, and joins again. */
    synchronized Member member(String name) {
        await(name + " as a member", heard -> heard.members.stream().anyMatch(one -> one.name().equals(name)));
        return members.stream().filter(one -> one.name().equals(name)).findAny().orElseThrow();
    }
}
