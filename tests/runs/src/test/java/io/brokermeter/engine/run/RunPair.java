package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.run.receive.Quotas;
import io.brokermeter.spi.parameter.Setting;

/** A run of two processes, the first of which sends and the second receives, on a {@link VirtualClock}. */
public final class RunPair {

    final Groups groups;
    final Plan plan;
    final long number;
    final Meeting meeting;
    final List<Share> shares = new ArrayList<>();
    final List<Run> runs = new ArrayList<>();
    final List<Exception> failures = new CopyOnWriteArrayList<>();
    private Runnable act = () -> {};
    private volatile long actsAt = Long.MAX_VALUE;

    public RunPair(Groups groups) {
        this(groups, 0);
    }

    /** @param first number of the first share; the one of the second is one more */
    public RunPair(Groups groups, int first) {
        this(groups, groups.plan(), first);
    }

    /** @param plan a plan of these groups with another driver */
    public RunPair(Groups groups, Plan plan) {
        this(groups, plan, 0);
    }

    private RunPair(Groups groups, Plan plan, int first) {
        this.groups = groups;
        this.plan = plan;
        this.number = RunShare.whole(plan).run();
        Share sending = new Share(first, new BitSet(), new BitSet());
        Share receiving = new Share(first + 1, new BitSet(), Share.whole(plan).consumers());
        plan.producers().forEach(group -> group.producers()
            .forEach(p -> (group.counts() == null ? sending : receiving).producers().set(p.index())));
        shares.addAll(List.of(sending, receiving));
        meeting = new Meeting(Set.of(first, first + 1), groups.clock::elapsed);
        meeting.quotas = new Quotas(plan);
    }

    /** Runs an action at the end of the first interval that ends {@code millis} milliseconds after the start or later. */
    RunPair after(long millis, Runnable what) {
        act = what;
        actsAt = millis * 1_000_000;
        return this;
    }

    /** Executes both runs to their ends, none of which may be an exception. */
    public RunPair execute() {
        for (Share share : shares) {
            runs.add(new Run(plan, new RunShare(share, number, meeting.of(share.number())), new RunObserver() {
                @Override
                public void interval(Interval i) {
                    if (i.elapsedNanos() >= actsAt) {
                        actsAt = Long.MAX_VALUE;
                        act.run();
                    }
                }
            }, null, null, Setting::key, groups.clock, null));
        }
        List<Thread> threads = runs.stream().map(run -> groups.clock.start("share", () -> {
            try {
                run.execute();
            } catch (RunFailure | RuntimeException e) {
                failures.add(e);
            }
        })).toList();
        threads.forEach(thread -> groups.clock.join(thread, Duration.ofHours(1).toNanos()));
        assertThat(failures).isEmpty();
        return this;
    }

    public RunResult result() throws IOException {
        ResultMerger joint = new ResultMerger(plan, number, 0, 0, new Sections());
        for (int i = 0; i < runs.size(); i++) {
            add(joint, i);
        }
        return joint.result(0, List.of(), ResultMerger.ClockBound.NONE, -1, null).result();
    }

    /** @param number index of the run, from 0 */
    void add(ResultMerger joint, int number) throws IOException {
        ByteArrayOutputStream sets = new ByteArrayOutputStream();
        runs.get(number).writeLedger(sets);
        joint.add(shares.get(number), "process " + number, runs.get(number).part(), new ByteArrayInputStream(sets.toByteArray()));
    }
}
