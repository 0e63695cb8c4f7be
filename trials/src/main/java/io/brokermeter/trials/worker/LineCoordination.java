package io.brokermeter.trials.worker;

import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.brokermeter.engine.run.parts.OneOfSeveral;
import io.brokermeter.reports.json.RecordJson;
import org.jspecify.annotations.Nullable;

/**
 * The other processes of a run, as a worker sees them: reports are sent as lines of JSON, and the decisions of the coordinator are received
 * as lines, too. Thread-safe.
 */
public final class LineCoordination implements OneOfSeveral {

    /** Begins a line with the decisions of the coordinator so far. Each line has all of them, so that the last one is enough. */
    public static final String NEWS = "news ";

    /**
     * The decisions of the coordinator.
     *
     * @param passed the last step that may be passed, null for none
     * @param declaring number of the share whose turn it is to declare destinations, -1 for none
     * @param start when the run starts, nanoseconds of its clock; 0 as long as that is open
     * @param loadEnded when the loads of all were over, nanoseconds of the run's clock; 0 as long as they are not
     * @param missing numbers of deliveries that are missing, by number of the destination
     * @param cleanupOwners numbers of the shares that remove what lost ones created, by number of the destination
     * @param subscriptionOwners numbers of the shares that remove durable subscriptions in place of lost ones, by number of the subscription
     * @param faulted whether a fault is in effect that will be undone
     * @param usedUp numbers of the groups that took all messages that they may take, or of whose consumers none is left
     * @param over whether the load of all ends before it was sent; a worker in the drain goes on with it
     */
    public record News(@Nullable Step passed, int declaring, long start, long loadEnded, Map<Integer, Long> missing,
            Map<Integer, Integer> cleanupOwners, Map<Integer, Integer> subscriptionOwners, boolean faulted, Set<Integer> usedUp,
            boolean over) {

        /** No decisions yet. */
        public static final News NONE = new News(null, -1, 0, 0, Map.of(), Map.of(), Map.of(), false, Set.of(), false);

        /** Returns the decisions as a line for a worker. */
        public String line() {
            return NEWS + RecordJson.text(this);
        }
    }

    private final int share;
    private final boolean faulted;
    private final Consumer<WorkerLine> out;
    private volatile News news = News.NONE;
    private volatile Runnable wake = () -> {};

    /**
     * @param share number of this process's share
     * @param faulted whether faults are made in the run
     * @param out receives each line
     */
    public LineCoordination(int share, boolean faulted, Consumer<WorkerLine> out) {
        this.share = share;
        this.faulted = faulted;
        this.out = out;
    }

    /**
     * Handles a line of the coordinator. Returns false when it is about something else.
     *
     * @throws IllegalArgumentException when it cannot be read
     */
    public boolean hear(String line) {
        News heard = news(line);
        if (heard == null) {
            return false;
        }
        news = heard;
        wake.run();
        return true;
    }

    /** Returns the decisions in a line; null when it is about something else. */
    public static @Nullable News news(String line) {
        return line.startsWith(NEWS) ? RecordJson.read(News.class, line.substring(NEWS.length())) : null;
    }

    @Override
    public void whenNews(Runnable heard) {
        wake = heard;
    }

    @Override
    public void reached(Step step) {
        out.accept(new WorkerLine.Reached(step));
    }

    @Override
    public boolean mayPass(Step step) {
        Step passed = news.passed;
        return passed != null && passed.compareTo(step) >= 0;
    }

    @Override
    public boolean mayDeclare() {
        return news.declaring == share;
    }

    @Override
    public long start(long earliest) {
        return news.start == 0 ? earliest : news.start;
    }

    @Override
    public boolean makeFaults() {
        return faulted;
    }

    @Override
    public boolean isFaulted() {
        return news.faulted;
    }

    @Override
    public void opened(long at) {
        out.accept(new WorkerLine.Opened(at));
    }

    @Override
    public void took(Map<Integer, Long> byGroup) {
        out.accept(new WorkerLine.Took(byGroup));
    }

    @Override
    public Set<Integer> usedUp() {
        return news.usedUp;
    }

    @Override
    public boolean isLoadOver() {
        return news.over;
    }

    @Override
    public long loadEnded() {
        return news.loadEnded;
    }

    @Override
    public void owes(Balance balance) {
        out.accept(new WorkerLine.Owes(balance));
    }

    @Override
    public void declared(Set<Integer> declared, Set<Integer> made) {
        out.accept(new WorkerLine.Declared(declared, made));
    }

    @Override
    public void leaves() {
        out.accept(new WorkerLine.Leaves());
    }

    @Override
    public Set<Integer> takenOver() {
        return ofThis(news.cleanupOwners);
    }

    @Override
    public Set<Integer> takenOverSubscriptions() {
        return ofThis(news.subscriptionOwners);
    }

    private Set<Integer> ofThis(Map<Integer, Integer> cleanupOwners) {
        return cleanupOwners.entrySet().stream().filter(owner -> owner.getValue() == share).map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    }

    @Override
    public Map<Integer, Long> missing(Supplier<Map<Integer, Long>> here) {
        return news.missing;
    }
}
