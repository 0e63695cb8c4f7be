package io.brokermeter.cli.mcp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.SideReader;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.html.HtmlReport;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.TemporaryDirectory;
import org.jspecify.annotations.Nullable;

/**
 * What the tools do: each measurement is a command of this tool in a process of its own, and each answer is made from the files that it
 * left. Used by one thread, but for {@link Call#cancel}.
 */
final class Toolbox {

    /** What a call may take beyond the time of its load: brokers and processes start, messages are drained, files are written. */
    private static final Duration AROUND = Duration.ofSeconds(90);
    private static final int QUICK_SECONDS = 30;
    private static final int CONFIRMATION_SECONDS = 300;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._~-]*");

    private final AllowedBrokers brokers;
    private final CallLimits limits;
    private final KeptRuns runs;
    private Duration used = Duration.ZERO;

    Toolbox(AllowedBrokers brokers, CallLimits limits, KeptRuns runs) {
        this.brokers = brokers;
        this.limits = limits;
        this.runs = runs;
    }

    /** One call. Its methods may be called by any thread. */
    static final class Call {

        private boolean cancelled;
        private @Nullable CalledCommand running;

        /** Ends the call, at once before it has begun. */
        synchronized void cancel() {
            cancelled = true;
            if (running != null) {
                running.end();
            }
        }

        synchronized boolean isCancelled() {
            return cancelled;
        }

        /** Ends a cancelled call whose end took too long. */
        void kill() {
            CalledCommand run;
            synchronized (this) {
                run = running;
            }
            if (run != null) {
                run.close();
            }
        }

        private synchronized void runs(CalledCommand run) {
            running = run;
            if (cancelled) {
                run.end();
            }
        }
    }

    /**
     * Calls a tool and returns its answer. Blocks as long as it measures.
     *
     * @param progress told the seconds since the beginning, and the last line of the command
     */
    CallAnswer call(CallArguments call, Call one, BiConsumer<Double, String> progress) throws InterruptedException {
        try {
            Set<String> known = ToolList.arguments(call.tool());
            call.require(known == null ? Set.of() : known);
            return switch (call.tool()) {
                case ToolList.REPORT -> report(call);
                case ToolList.COMPARE -> compare(call, one, progress);
                case ToolList.SEARCH -> search(call, one, progress);
                default -> measure(call, one, progress);
            };
        } catch (UsageException e) {
            return CallAnswer.failure(e.sentence(setting -> setting.key()));
        } catch (IOException e) {
            return CallAnswer.failure("Files of this call cannot be read or written: " + e.getMessage() + ".");
        }
    }

    private CallAnswer measure(CallArguments call, Call one, BiConsumer<Double, String> progress) throws IOException, InterruptedException {
        CallScenario scenario = CallScenario.of(call, brokers, limits, true);
        return run(call, scenario, List.of(), List.of(), one, progress, Comparison.Question.USUAL,
            (file, time) -> List.of("replay", String.valueOf(file.getParent()), "--format", "perf"));
    }

    private CallAnswer search(CallArguments call, Call one, BiConsumer<Double, String> progress) throws IOException, InterruptedException {
        boolean quick = call.flag("quick", true);
        double most = (double) limits.messages() / (quick ? QUICK_SECONDS : CONFIRMATION_SECONDS);
        List<String> words = new ArrayList<>();
        for (String goal : call.texts("goals")) {
            Threshold.parse(goal);
            words.addAll(List.of("--goal", goal));
        }
        String to = call.text("to");
        if (to != null && Rate.parse(to).perSecond() > most) {
            throw new UsageException(
                "A trial of a call may send " + limits.messages() + " messages, so 'to' can be " + (long) most + "/s at most.");
        }
        words.addAll(List.of("--to", to == null ? (long) Math.max(1, Math.min(most, 10e6)) + "/s" : to));
        if (call.has("from")) {
            words.addAll(List.of("--from", call.text("from", "")));
        }
        if (quick) {
            words.add("--quick");
        }
        return run(call, CallScenario.of(call, brokers, limits, false), List.of(), List.of(), one, progress, Comparison.Question.USUAL,
            (file, time) -> Stream.concat(Stream.of("search", file.toString(), "--time", time), words.stream()).toList());
    }

    private CallAnswer compare(CallArguments call, Call one, BiConsumer<Double, String> progress) throws IOException, InterruptedException {
        List<String> figures = call.has("figure") ? List.of(call.text("figure", "")) : List.of();
        Comparison.Question question = new Comparison.Question(CompareOptions.figures(figures), List.of(),
            Comparison.Question.USUAL.least(), false, new HashSet<>());
        if (call.has("runs")) {
            List<String> sides = call.texts("runs");
            if (call.values().keySet().stream().anyMatch(name -> !Set.of("runs", "figure").contains(name)) || sides.size() < 2) {
                throw new UsageException(
                    "'runs' names two or more sides of runs that were measured before, and takes no other argument but 'figure'.");
            }
            return CallAnswer.of(String.join(" ", sides), SideReader.compared(sides, name -> List.of(kept(name)), question), "");
        }
        List<String> first = CallScenario.changes(call.map("a"));
        List<String> second = CallScenario.changes(call.map("b"));
        if (first.isEmpty() && second.isEmpty()) {
            throw new UsageException("Say in 'a' and 'b' what differs, as {\"broker.version\": \"2.44.0\"}, or name earlier 'runs'.");
        }
        List<String> words = new ArrayList<>();
        first.forEach(change -> words.addAll(List.of("--a", change)));
        second.forEach(change -> words.addAll(List.of("--b", change)));
        figures.forEach(figure -> words.addAll(List.of("--figure", figure)));
        return run(call, CallScenario.of(call, brokers, limits, true), first, second, one, progress, question,
            (file, time) -> Stream.concat(Stream.of("ab", file.toString(), "--time", time), words.stream()).toList());
    }

    private CallAnswer report(CallArguments call) throws IOException {
        Path directory = kept(call.text("run", "last"));
        String note = "";
        if (call.flag("page", false)) {
            Path page = directory.resolve("report.html");
            Files.writeString(page,
                StoredSweep.isSweep(directory) ? HtmlReport.of(StoredSweep.read(directory)) : HtmlReport.of(StoredRun.read(directory)));
            note = "The page is " + page + ".";
        }
        return CallAnswer.of(directory, Comparison.Question.USUAL, note);
    }

    /** Returns the directory of a run of the user's store: a call reads no other directory. */
    private Path kept(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new UsageException("'" + name + "' is no name of a run; there are last, last~1 and the names in earlier answers.");
        }
        Path found = runs.find(name).toAbsolutePath().normalize();
        if (!found.startsWith(runs.store().root().toAbsolutePath().normalize())) {
            throw new UsageException("There is no run '" + name + "'.");
        }
        return found;
    }

    /** Returns the words of a command, for the file of its scenario and the time that it may take. */
    private interface Words {
        List<String> of(Path file, String time);
    }

    private CallAnswer run(CallArguments call, CallScenario scenario, List<String> first, List<String> second, Call one,
            BiConsumer<Double, String> progress, Comparison.Question question, Words words) throws IOException, InterruptedException {
        Duration time = time(call);
        TemporaryDirectory place = TemporaryDirectory.ofSweep();
        Path out = runs.store().create(call.tool());
        long begun = System.nanoTime();
        try {
            // The directory of a run has nothing but its files.
            Path file = scenario.write(Files.createDirectory(place.path().resolve("run")), first, second);
            List<String> all = new ArrayList<>(words.of(file, time.toSeconds() + "s"));
            all.addAll(List.of("--out", out.toString()));
            try (CalledCommand run = CalledCommand.start(all, place.path(), scenario.password())) {
                one.runs(run);
                boolean late = run.await(time.plus(AROUND), line -> progress.accept((System.nanoTime() - begun) / 1e9, line));
                return answer(out, file, run, question,
                    late ? "It was ended after " + time.plus(AROUND).toSeconds() + " s, the limit of a call." : "");
            }
        } finally {
            used = used.plusNanos(System.nanoTime() - begun);
            place.delete();
            // Stays only when it has files.
            out.toFile().delete();
        }
    }

    private static CallAnswer answer(Path out, Path file, CalledCommand run, Comparison.Question question, String note) throws IOException {
        if (KeptRuns.hasMeasured(out)) {
            return CallAnswer.of(out, question, note);
        }
        String complaint = run.complaint().replace(file + ":", "").replace(file.toString(), "the scenario").strip();
        return CallAnswer.failure(complaint.isEmpty() ? "Nothing was measured. " + note : complaint);
    }

    /** Returns the time that a call may measure. */
    private Duration time(CallArguments call) {
        Duration left = limits.total().minus(used);
        if (left.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new UsageException(
                "The " + limits.total().toSeconds() + " s that all calls together may measure are over; whoever starts 'brokermeter "
                    + "mcp' can give more with --total-time.");
        }
        Duration most = left.compareTo(limits.call()) < 0 ? left : limits.call();
        if (!call.has("time")) {
            return most;
        }
        Duration asked = CompareOptions.duration("time", call.time("time", ""));
        if (asked.compareTo(most) > 0) {
            throw new UsageException("'time' is " + asked.toSeconds() + " s, and a call may measure for " + most.toSeconds() + " s.");
        }
        return asked;
    }
}
