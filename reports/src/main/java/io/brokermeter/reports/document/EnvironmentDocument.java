package io.brokermeter.reports.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import io.brokermeter.reports.document.DocumentJson.Inline;
import org.jspecify.annotations.Nullable;

/**
 * The {@code environment.json} of a run: the machine, the program, and what the run is about.
 *
 * @param oneWayTimes whether times between machines are right; null for a run without such times
 * @param files files that its producers read
 */
public record EnvironmentDocument(
        @IfKnown @Nullable Long format, @Inline Machine machine, @Inline Subject subject, @IfKnown @Nullable Git git,
        @IfKnown @Nullable String oneWayTimes, @IfKnown List<KeptInput> files, @Inline AtEnd atEnd) {

    /** An environment of which nothing is known. */
    public static final EnvironmentDocument UNKNOWN = DocumentJson.empty(EnvironmentDocument.class);

    /**
     * The machine and the program, as they are when the run begins.
     *
     * @param time when that was, as {@link java.time.Instant} writes it
     * @param tool version of this program
     * @param system operating system with its version, and the kind of processor
     * @param cpuCount logical processors of the machine
     * @param cpusOfThisProcess those that this process may use
     * @param cgroupCpuMax limit of the control group; {@code none} without one
     * @param schedAutogroup whether the system divides processors between sessions rather than threads
     */
    public record Machine(
            @IfKnown @Nullable String time, @IfKnown @Nullable String tool, @IfKnown @Nullable String java, @IfKnown @Nullable String jvm,
            @IfKnown @Nullable String system, @IfKnown @Nullable String cpuModel, @IfKnown @Nullable Long cpuCount,
            @IfKnown @Nullable Long cpusOfThisProcess, @IfKnown @Nullable Long memoryBytes, @IfKnown @Nullable Long memoryAvailableBytes,
            @IfKnown @Nullable Long heapMaxBytes, @IfKnown @Nullable String cgroupCpuMax, @IfKnown @Nullable String cgroupMemoryMax,
            @IfKnown @Nullable String clockSource, @IfKnown @Nullable String cpuGovernor, @IfKnown @Nullable Boolean schedAutogroup,
            @IfKnown @Nullable String loadAverage) {}

    /**
     * What the run is about.
     *
     * @param name name of the run
     * @param labels labels that the user gave; null for what is no run
     * @param what what takes part
     */
    public record Subject(
            @IfKnown @Nullable String name, @IfKnown(evenEmpty = true) @Nullable Map<String, String> labels,
            @IfKnown @Nullable String what, @IfKnown @Nullable Workload workload) {}

    /**
     * The scenario in a few numbers. One that is not a single number, since groups differ or the load has a shape, is unknown.
     *
     * @param load {@code unlimited}, {@code constant}, {@code phases} and so on
     * @param ratePerSecond rate of all groups together
     * @param producersStartSeconds start delay of the producers; null in files of versions that did not write it
     * @param publishesCounts whether consumers publish what they counted
     * @param consumersStartSeconds start delay of the first consumers; NaN where some start with the run, or none before producers end
     * @param processingMeanMicros mean time that consumers spend on a message
     */
    public record Workload(
            @Nullable Long destinations, @Nullable Long producers, @Nullable Long consumers, @Nullable Long messageBytes,
            @Nullable Boolean persistent, @Nullable Long maxPending, @Nullable String load, double ratePerSecond,
            @Nullable Long plannedMessages, double durationSeconds, double warmupSeconds, double intervalSeconds,
            @Nullable Double producersStartSeconds, boolean publishesCounts, double consumersStartSeconds, double processingMeanMicros,
            @Nullable Long seed) {

        /** A workload of which nothing is known. */
        public static final Workload UNKNOWN = DocumentJson.empty(Workload.class);
    }

    /**
     * The commit of the directory in which the run was started.
     *
     * @param branch null if none is checked out
     * @param changes whether tracked files differ from the commit
     */
    public record Git(String commit, @IfKnown @Nullable String branch, @Nullable Boolean changes) {

        /** The label of the commit. */
        public static final String COMMIT = "git.commit";

        /** Returns the labels that a user gave, followed by those of a commit. */
        public static Map<String, String> labels(@Nullable Map<String, String> given, @Nullable Git git) {
            Map<String, String> all = new LinkedHashMap<>(given == null ? Map.of() : given);
            if (git != null && !git.commit.isEmpty()) {
                all.put(COMMIT, git.commit);
                if (git.branch != null) {
                    all.put("git.branch", git.branch);
                }
                if (git.changes != null) {
                    all.put("git.changes", git.changes.toString());
                }
            }
            return all;
        }
    }

    /**
     * What is known when the run has ended.
     *
     * @param versions versions of what took part, by name; empty before the end
     * @param jvmFlags flags of the JVM, without paths
     * @param collectors garbage collectors of the JVM
     */
    public record AtEnd(
            @IfKnown Map<String, String> versions, @IfKnown(orWith = "versions") List<String> jvmFlags,
            @IfKnown(orWith = "versions") List<String> collectors) {

        public static final AtEnd NONE = new AtEnd(Map.of(), List.of(), List.of());
    }

    /** Returns all labels of the run, those of the user first. */
    public Map<String, String> labels() {
        return Git.labels(subject.labels, git);
    }

    /** Returns the scenario in a few numbers. */
    public Workload workload() {
        return subject.workload == null ? Workload.UNKNOWN : subject.workload;
    }

    public EnvironmentDocument with(Subject other) {
        return new EnvironmentDocument(format, machine, other, git, oneWayTimes, files, atEnd);
    }

    public EnvironmentDocument with(Git commit) {
        return new EnvironmentDocument(format, machine, subject, commit, oneWayTimes, files, atEnd);
    }

    public EnvironmentDocument withOneWay(String worth) {
        return new EnvironmentDocument(format, machine, subject, git, worth, files, atEnd);
    }

    /** Returns the environment of a run whose rate was changed while it lasted: that of its scenario is no rate of it. */
    public EnvironmentDocument withoutRate() {
        Workload its = subject.workload;
        return its == null ? this : with(new Subject(subject.name, subject.labels, subject.what,
            new Workload(its.destinations, its.producers, its.consumers, its.messageBytes, its.persistent, its.maxPending, "changed",
                Double.NaN,
                its.plannedMessages, its.durationSeconds, its.warmupSeconds, its.intervalSeconds, its.producersStartSeconds,
                its.publishesCounts, its.consumersStartSeconds, its.processingMeanMicros, its.seed)));
    }

    public EnvironmentDocument with(List<KeptInput> inputs) {
        return new EnvironmentDocument(format, machine, subject, git, oneWayTimes, inputs, atEnd);
    }

    public EnvironmentDocument with(AtEnd end) {
        return new EnvironmentDocument(format, machine, subject, git, oneWayTimes, files, end);
    }

    /** Returns this environment without what a report of the run has elsewhere. */
    public EnvironmentDocument within() {
        return new EnvironmentDocument(null, machine, new Subject(subject.name, null, subject.what, subject.workload), git, oneWayTimes,
            files, atEnd);
    }
}
