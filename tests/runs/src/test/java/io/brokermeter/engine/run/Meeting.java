package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.brokermeter.engine.run.parts.OneOfSeveral;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.StepBarrier;
import io.brokermeter.engine.run.receive.Quotas;
import org.jspecify.annotations.Nullable;

/** The rendezvous of the processes of a run, in place of a coordinator. */
final class Meeting {

    /** The steps that were reached, in this order, each as the number of the share and the step. */
    final List<String> reached = new ArrayList<>();
    /** When the entries of {@link #reached} were added, and when a share reported that it has a consumer, in nanoseconds. */
    final Map<String, Long> moments = new HashMap<>();
    final StepBarrier barrier;
    private final List<Runnable> wakes = new ArrayList<>();
    /** The steps that no process may pass for now. */
    volatile Predicate<RunCoordination.Step> held = _ -> false;
    /** The quotas of a plan in which groups take a number of messages; null for others. */
    @Nullable Quotas quotas;
    /** The clock of the runs if they are informed of the end of all loads; null otherwise. */
    volatile @Nullable LongSupplier runClock;
    /** Called by each process before its report of what it took is known. */
    volatile Runnable reporting = () -> {};
    /** Called by each process with the number of its share before it knows the start. */
    volatile IntConsumer starting = _ -> {};
    /** Whether the load of all processes is to end. */
    boolean over;
    private final LongSupplier clock;
    private long start;
    private long loadEnded;

    /**
     * @param shares numbers of the shares
     * @param clock supplies nanoseconds
     */
    Meeting(Set<Integer> shares, LongSupplier clock) {
        this.clock = clock;
        barrier = new StepBarrier(shares);
    }

    RunCoordination of(int share) {
        return new OneOfSeveral() {
            @Override
            public void whenNews(Runnable wake) {
                synchronized (Meeting.this) {
                    wakes.add(wake);
                }
            }

            @Override
            public void reached(Step step) {
                synchronized (Meeting.this) {
                    if (reached.contains(share + " " + step)) {
                        return;
                    }
                    reached.add(share + " " + step);
                    moments.put(share + " " + step, clock.getAsLong());
                }
                tell(() -> barrier.reached(share, step));
            }

            @Override
            public boolean mayPass(Step step) {
                synchronized (Meeting.this) {
                    return !held.test(step) && barrier.mayPass(step);
                }
            }

            @Override
            public boolean mayDeclare() {
                synchronized (Meeting.this) {
                    return barrier.declaring() == share;
                }
            }

            @Override
            public long start(long earliest) {
                synchronized (Meeting.this) {
                    start = start == 0 ? earliest + 50_000_000 : start;
                }
                starting.accept(share);
                return start;
            }

            @Override
            public void declared(Set<Integer> declared, Set<Integer> made) {
                tell(() -> barrier.declared(share, declared, made));
            }

            @Override
            public void leaves() {
                tell(() -> barrier.ended(share));
            }

            @Override
            public Set<Integer> takenOver() {
                synchronized (Meeting.this) {
                    return barrier.cleanupOwners().entrySet().stream().filter(owner -> owner.getValue() == share)
                        .map(Map.Entry::getKey).collect(Collectors.toSet());
                }
            }

            @Override
            public void opened(long at) {
                synchronized (Meeting.this) {
                    moments.put(share + " OPENED", clock.getAsLong());
                }
            }

            @Override
            public boolean isLoadOver() {
                synchronized (Meeting.this) {
                    return over;
                }
            }

            @Override
            public long loadEnded() {
                synchronized (Meeting.this) {
                    LongSupplier now = runClock;
                    if (now != null && loadEnded == 0 && barrier.mayPass(Step.SENT)) {
                        loadEnded = now.getAsLong();
                    }
                    return loadEnded;
                }
            }

            @Override
            public void took(Map<Integer, Long> byGroup) {
                reporting.run();
                tell(() -> requireNonNull(quotas).took(share, byGroup));
            }

            @Override
            public Set<Integer> usedUp() {
                synchronized (Meeting.this) {
                    return quotas == null ? Set.of() : quotas.usedUp();
                }
            }

            @Override
            public void owes(Balance balance) {
                tell(() -> barrier.owes(share, balance));
            }

            @Override
            public Map<Integer, Long> missing(Supplier<Map<Integer, Long>> here) {
                synchronized (Meeting.this) {
                    return barrier.mayPass(Step.CLOSED) ? barrier.missing() : Map.of();
                }
            }
        };
    }

    void tell(Runnable what) {
        List<Runnable> all;
        synchronized (this) {
            what.run();
            all = List.copyOf(wakes);
        }
        all.forEach(Runnable::run);
    }
}
