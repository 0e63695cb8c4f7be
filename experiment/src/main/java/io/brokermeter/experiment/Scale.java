package io.brokermeter.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;

/**
 * Makes a scenario shorter or longer: multiplies numbers of messages, durations, and the times of events by the same factor.
 * Numbers and durations do not fall below the minimum that a measurement needs, unless they were below it before. What happens at a moment
 * stays in the same part of the run, at the same share of it, however much longer than its factor that part is.
 *
 * @param factor the factor, above 0
 */
record Scale(double factor) {

    private static final long LEAST_MESSAGES = 1_000;
    private static final Duration LEAST_DURATION = Duration.ofSeconds(5);
    private static final Duration LEAST_PART = Duration.ofSeconds(1);

    Scenario of(Scenario scenario) {
        if (factor == 1) {
            return scenario;
        }
        Limits limits = scenario.limits();
        double share = share(scenario);
        Duration warmup = time(limits.warmup(), LEAST_PART);
        Duration duration = time(limits.duration(), LEAST_DURATION);
        List<Phase> phases = scenario.phases().stream().map(this::phase).toList();
        Moments moments = new Moments(factor);
        moments.add(limits.warmup(), warmup);
        for (int i = 0; i < phases.size(); i++) {
            moments.add(scenario.phases().get(i).length(), phases.get(i).length());
        }
        if (phases.isEmpty()) {
            moments.endAt(limits.duration(), duration);
            scenario.producers().forEach(side -> moments.endAt(sending(side, 1), sending(side, share)));
        }
        return scenario.with(its -> {
            its.producers = scenario.producers().stream().map(side -> side.with(group -> {
                group.load = load(side.load());
                group.start = side.start().withTimes(moments::of, this::time);
                group.messageCount = messages(side.messageCount(), share);
            })).toList();
            its.consumers = scenario.consumers().stream().map(side -> consumers(side, moments, share)).toList();
            its.phases = phases;
            its.limits = limits.with(limit -> {
                limit.warmup = limits.settles() ? Limits.firstPart(duration) : warmup;
                limit.duration = duration;
            });
            its.faults = scenario.faults().stream().map(fault -> fault.withTimes(moments::of)).toList();
        });
    }

    private ConsumerGroupSpec consumers(ConsumerGroupSpec side, Moments moments, double share) {
        return side.with(group -> {
            group.start = side.start().withTimes(moments::of, this::time);
            group.messageCount = messages(side.messageCount(), share);
        });
    }

    /**
     * Returns the factor of all numbers of messages: the smallest one, of this factor at least, that leaves a group that sends at a rate, and
     * whose number of messages alone ends the run, the time of a shortest run. Within a part of a second nobody reaches a rate.
     */
    private double share(Scenario scenario) {
        double share = factor;
        if (scenario.length().isZero()) {
            for (ProducerGroupSpec side : scenario.producers()) {
                Duration whole = sending(side, 1);
                if (!whole.isZero()) {
                    share = Math.max(share, Math.min(1, (double) LEAST_DURATION.toNanos() / whole.toNanos()));
                }
            }
        }
        return share;
    }

    /** Returns how long a share of a group's messages takes at its rate; zero without a number or a constant rate. */
    private static Duration sending(ProducerGroupSpec side, double share) {
        return side.messageCount() > 0 && side.load() instanceof Load.Constant(var rate)
            ? Duration.ofNanos(Math.round(messages(side.messageCount(), share) / rate.perSecond() * 1e9)) : Duration.ZERO;
    }

    private Phase phase(Phase phase) {
        Map<String, Load> loads = new LinkedHashMap<>();
        phase.loads().forEach((group, load) -> loads.put(group, load(load)));
        return new Phase(phase.name(), time(phase.length(), LEAST_PART), loads);
    }

    /** Scales a load of steps, whose stretches are parts of the run like phases; other shapes repeat themselves and stay unchanged. */
    private Load load(Load load) {
        if (!(load instanceof Load.Steps(List<Load.Step> stretches))) {
            return load;
        }
        return new Load.Steps(stretches.stream()
            .map(one -> new Load.Step(one.from(), one.to(), time(one.length(), LEAST_PART))).toList());
    }

    private static long messages(long count, double share) {
        return count == 0 ? 0 : Math.max(Math.min(count, LEAST_MESSAGES), Math.round(count * share));
    }

    private Duration time(Duration time) {
        return time(time, Duration.ZERO);
    }

    private Duration time(Duration time, Duration least) {
        if (time.isZero()) {
            return time;
        }
        Duration scaled = Duration.ofMillis(Math.max(1, Math.round(time.toMillis() * factor)));
        Duration floor = time.compareTo(least) < 0 ? time : least;
        return scaled.compareTo(floor) < 0 ? floor : scaled;
    }

    /** Where the moments of a run are in the scaled one. */
    private static final class Moments {

        private final double factor;
        /** The ends of the parts of the run, in order, before and after. */
        private final List<Duration> before = new ArrayList<>(List.of(Duration.ZERO));
        private final List<Duration> after = new ArrayList<>(List.of(Duration.ZERO));

        Moments(double factor) {
            this.factor = factor;
        }

        /** Adds the next part. */
        void add(Duration length, Duration scaled) {
            endAt(before.getLast().plus(length), after.getLast().plus(scaled));
        }

        /** Adds the part until a moment, unless that is not after the last one. */
        void endAt(Duration end, Duration scaled) {
            if (end.compareTo(before.getLast()) > 0 && scaled.compareTo(after.getLast()) > 0) {
                before.add(end);
                after.add(scaled);
            }
        }

        Duration of(Duration moment) {
            int part = 0;
            while (part < before.size() - 1 && before.get(part).compareTo(moment) < 0) {
                part++;
            }
            int last = part == 0 || before.get(part).compareTo(moment) < 0 ? part : part - 1;
            double slope = last == before.size() - 1 ? factor
                : (double) after.get(last + 1).minus(after.get(last)).toNanos() / before.get(last + 1).minus(before.get(last)).toNanos();
            Duration within = moment.minus(before.get(last));
            return after.get(last).plusMillis(within.isZero() ? 0 : Math.max(1, Math.round(within.toMillis() * slope)));
        }
    }
}
