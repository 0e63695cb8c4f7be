package io.brokermeter.reports.document;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The {@code window.json} of a sweep, with what limits over distance. Times are in seconds, sizes and windows in bytes or messages.
 *
 * @param way how the distances were made, {@code link} or {@code proxy}; null for a protocol with a way of its own
 */
public record WindowDocument(@Nullable String way, List<SideAnswer> answers) {

    /**
     * The answer about one side.
     *
     * @param side {@code producer} or {@code consumer}
     * @param limit what limits, {@code nothing} if no window does; null if that cannot be told
     * @param leastShareOfRate the share of the rate over the shortest distance that is left over the longest
     * @param governedBy the setting that governs the window; null if none was found
     * @param changesAt the point at which changes were tried
     */
    public record SideAnswer(
            String side, String protocol, @Nullable String broker, @Nullable String limit, boolean contradictory, boolean unexplained,
            @Nullable String limitWords, @Nullable String rangeWords, double probability, @Nullable String otherLimit,
            double otherProbability, @Nullable Estimate windowMessages, @Nullable Estimate windowBytes, double overheadBytes,
            double extraSeconds, double secondsPerMessage, double secondsPerByte, double leastShareOfRate,
            @Nullable TriedChange governedBy, String sentence, List<RateAtDistance> rates, List<RateCurve> curves, long trialsWithoutRate,
            long trialsNotRun, PointOfChange changesAt, List<TriedChange> tried, List<SettingByHand> byHand) {}

    /** A figure with its interval. */
    public record Estimate(double estimate, double low, double high, double confidence) {}

    /** A measured rate beside the one that the explanation predicts. */
    public record RateAtDistance(double roundTripSeconds, double size, double askedPerSecond, double perSecond, double explainedPerSecond,
            double messagesUnderWay, double bytesUnderWay, double windowBytesUsed, @Nullable Long trialNumber, boolean doubtful) {}

    /** The rates that the explanation predicts for messages of one size. */
    public record RateCurve(double size, List<PointOfCurve> points) {}

    /** A point of such a curve. */
    public record PointOfCurve(double roundTripSeconds, double perSecond) {}

    /** A place at which changes were tried, with its rate without any. */
    public record PointOfChange(double roundTripSeconds, double size, double askedPerSecond, double perSecond) {}

    /** A setting that was changed. */
    public record TriedChange(String setting, String place, @Nullable String key, double before, String after, double perSecond,
            double gain, @Nullable String source) {}

    /** A setting that only a person can change. */
    public record SettingByHand(String setting, String place) {}
}
