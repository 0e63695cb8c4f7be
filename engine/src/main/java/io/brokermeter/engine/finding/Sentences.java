package io.brokermeter.engine.finding;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The one place where findings become text. */
final class Sentences {

    private static final String MEMORY = "give it more memory with JAVA_ARGS, for example -Xmn1g";

    private Sentences() {}

    /** Who used the processors stands in the first sentence alone that has it. */
    static List<String> of(List<? extends Finding> findings) {
        List<String> sentences = new ArrayList<>();
        boolean used = false;
        for (Finding finding : findings) {
            Finding.CpuUse use = finding instanceof Finding.Doubt doubt ? doubt.cpuUse() : null;
            sentences.add(use != null && used ? of(finding).replace(use(use), "") : of(finding));
            used |= use != null;
        }
        return sentences;
    }

    static String of(Finding finding) {
        return switch (finding) {
            case Finding.Failure failure -> failure(failure);
            case Finding.Doubt doubt -> doubt(doubt);
        };
    }

    private static String failure(Finding.Failure failure) {
        return switch (failure) {
            case Finding.Broken f -> f.text();
            case Finding.SendsFailed f -> text("%,d sends failed: ", f.count()) + f.byCause().entrySet().stream()
                    .map(e -> e.getKey() + " (" + e.getValue() + " times)").collect(Collectors.joining("; "));
            case Finding.Unconfirmed f -> text("%,d sends were never confirmed: the broker may or may not have them", f.count())
                    + (f.delivered() == 0 ? "" : text("; %,d of them were delivered all the same", f.delivered()));
            case Finding.Unanswered f -> text("%,d requests got no reply in time", f.count());
            case Finding.RolledBackDelivered f -> text("%,d messages were delivered although they had been rolled back", f.count());
            case Finding.StrayConfirmations f -> text("%,d confirmations came for messages that were not in flight", f.count());
            case Finding.TooFewTaken f -> text("%s got %,d of the %,d messages that they were to take%s",
                    f.group().isEmpty() ? "The consumers" : "Consumers '" + f.group() + "'", f.taken(), f.asked(),
                    f.within() == null ? "" : " within --duration " + seconds(f.within()));
            case Finding.FailedDelivered f -> text("%,d messages were delivered although their sending had failed", f.count());
            case Finding.Unselected f -> text("%,d messages were delivered although they do not meet the selector", f.count());
            case Finding.Corrupt f -> text("%,d messages arrived with a changed body", f.count());
            case Finding.Lost f -> text("%,d messages were lost: %s, not delivered %s, and no longer in the broker", f.count(),
                    sent(f.confirmed()), within(f.drainTimeout()));
            case Finding.Left f -> text("%,d messages were left in the broker: consumers did not get them %s; raise it, or send less",
                    f.count(), within(f.drainTimeout()));
            case Finding.Undelivered f -> text("%,d messages were %s and not delivered %s; whether the broker still has them is not "
                    + "known%s: raise it to tell late from lost", f.count(), sent(f.confirmed()), within(f.drainTimeout()),
                    f.stillArriving() ? ", and deliveries were still arriving" : "");
            case Finding.LedgerOpen f -> "The ledger does not close: expected " + f.expected() + ", received " + f.received()
                    + ", duplicates " + f.duplicates() + ", lost " + f.lost() + ", left " + f.left();
            case Finding.RateMissed f -> "The asked rate was missed by more than half: the run reached " + f.rate();
        };
    }

    private static String sent(boolean confirmed) {
        return confirmed ? "confirmed" : "sent";
    }

    private static String within(Duration drainTimeout) {
        return "within --drain-timeout " + seconds(drainTimeout);
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    private static String doubt(Finding.Doubt doubt) {
        return switch (doubt) {
            case Finding.NotSentInTime f -> text("only %.1f %% of the scheduled messages were sent in time (%.2f of %.2f msg/sec), %s",
                    100 * f.share(), f.reachedPerSecond(), f.askedPerSecond(), because(f.reason()));
            case Finding.MostlyDelay f -> text("half of the messages were sent more than %.1f ms after they were due, so the response "
                    + "times are mostly that wait%s", f.medianDelayMillis(), f.reason() == null ? "" : ", " + because(f.reason()));
            case Finding.WokeLate f -> text("1 %% of the sends were late by more than %.1f ms because the sending threads woke late%s",
                    f.p99Millis(), f.reason() == null ? "" : ", " + wokeLate(f.reason()));
            case Finding.GarbageCollected f -> text("garbage collection stopped the generator for %.1f %% of the time: %s",
                    100 * f.share(), MEMORY);
            case Finding.CpuLimited f -> text("the CPU limit of the generator's control group stopped it for %.1f %% of the time (in %d "
                    + "of %d periods): raise the limit", 100 * f.share(), f.throttled(), f.periods());
            case Finding.CpuStolen f -> text("a hypervisor took %.1f %% of the CPU time away: use a dedicated machine", f.percent());
            case Finding.HeldUp f -> text("the machine held threads up for as long as %.0f ms (%.2f s of %.1f s altogether): %s the "
                    + "machine's, not the broker's; use a quieter one", f.longestMillis(), f.stoppedSeconds(), f.measuredSeconds(),
                    f.share() >= 0.5 ? "even the median may be" : "percentiles from p" + percentile(f.share()) + " on may be");
            case Finding.GeneratorBusy f -> text("the generator used %.0f %% of all %d cores and may have been the limit: spread the load "
                    + "over more machines", f.percent(), f.cores());
            case Finding.MachineBusy f -> text("all cores of this machine were busy%s, so generator and broker waited for each other or "
                    + "for others: %srun the broker elsewhere", use(f.cpuUse()), f.scheduled() ? "lower --rate, or " : "free cores, or ");
            case Finding.Starved f -> text("threads of the generator that were ready to run waited for a processor, altogether %.0f %% of "
                    + "the time%s: free cores, or give it more of them", 100 * f.share(), use(f.cpuUse()));
            case Finding.ThreadBusy f -> text("the thread %s of the generator used %.0f %% of a processor and may have been the limit: %s",
                    f.thread(), 100 * f.share(), f.sends() ? "raise --threads, or spread the load over more machines"
                            : "use more producers or consumers, each of which has a connection");
            case Finding.ClockSlow f -> text("a reading of the clock takes %.1f us (the kernel's clock source is %s), and each message "
                    + "needs several: use a machine whose clock source is tsc", f.readingMicros(),
                    f.source().isEmpty() ? "unknown" : f.source());
            case Finding.ClockCoarse f -> text("the kernel's clock source is %s, which is slow or coarse: use a machine whose clock source "
                    + "is tsc", f.source());
            case Finding.TimerSlack f -> "sending threads may wake up to 50 us late, which counts beside such short times: " + f.refused();
            case Finding.ColdStart f -> text("there was no warm-up, and the p99 response time is %.2f ms with the start of the run and "
                    + "%.2f ms without its first %d s: use --warmup", f.p99Millis(), f.p99WithoutMillis(), f.seconds());
        };
    }

    /** Why messages did not go out in time. */
    private static String because(Finding.Reason reason) {
        double percent = 100 * reason.share();
        return switch (reason.blame()) {
            case GARBAGE_COLLECTION -> text("because the generator spent %.0f %% of the time in its own garbage collection: %s", percent,
                    MEMORY);
            case CPU_LIMIT -> text("because the CPU limit of the generator's control group stopped it for %.0f %% of the time: raise the "
                    + "limit", percent);
            case STOLEN_CPU -> text("because a hypervisor took %.0f %% of the CPU time away: use a dedicated machine", percent);
            case STARVED -> text("because threads of the generator that were ready to run waited for a processor, altogether %.0f %% of "
                    + "the time%s: free cores, lower --rate, or run the broker elsewhere", percent, use(reason.cpuUse()));
            case PRODUCERS_RESTED -> "because the producers rested, in their --think-time or after sends that failed: shorten it, add "
                    + "--producers, or lower --rate";
            case SLOW_BROKER -> "because the broker confirmed too slowly for --max-pending: raise it, or lower --rate";
            case SLOW_SENDERS -> "because the sending threads could not keep up: lower --rate, or raise --threads";
        };
    }

    /** Why threads woke late. */
    private static String wokeLate(Finding.Reason reason) {
        return switch (reason.blame()) {
            case GARBAGE_COLLECTION -> text("mostly in the generator's own garbage collection (%.1f %% of the time): %s",
                    100 * reason.share(), MEMORY);
            case CPU_LIMIT -> "stopped by the CPU limit of their control group: raise the limit";
            case STOLEN_CPU -> "while a hypervisor took the processors away: use a dedicated machine";
            default -> text("for want of CPU time%s: free cores, lower --rate, or run the broker elsewhere", use(reason.cpuUse()));
        };
    }

    private static String use(Finding.@Nullable CpuUse use) {
        return use == null ? "" : text(" (the machine's processors were %.0f %% busy: the generator %.0f %%", use.busyPercent(),
                use.generatorPercent())
                + (use.brokerPercent() > 0 ? text(", the broker %.0f %%, others %.0f %%)", use.brokerPercent(), use.othersPercent())
                : text(", everything else %.0f %%)", use.othersPercent()));
    }

    /** 100 less a share, with the digits that tell it from 100. */
    private static String percentile(double share) {
        int digits = 0;
        for (double least = 0.0095; least > share && digits < 4; least /= 10) {
            digits++;
        }
        return String.format(Locale.ROOT, "%." + digits + "f", Math.min(100 * (1 - share), 100 - Math.pow(10, -digits)));
    }

    private static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
