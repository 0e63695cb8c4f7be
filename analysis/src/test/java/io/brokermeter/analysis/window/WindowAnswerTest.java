package io.brokermeter.analysis.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;

import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.statistics.WindowFit.Limit;
import io.brokermeter.analysis.window.WindowAnswer.Measured;
import io.brokermeter.analysis.window.WindowChange.Tried;
import org.junit.jupiter.api.Test;

/** Changes that are tried after a fit, the one that governs, and the wording of answers. */
class WindowAnswerTest {

    private static final DistantTrial AT = new DistantTrial(0.1, 2048, 10_000, 2, 4);

    private static List<Measured> rates(DoubleBinaryOperator time) {
        List<Measured> rates = new ArrayList<>();
        for (double size : new double[] {256, 2048, 16384}) {
            for (double roundTrip : new double[] {0.001, 0.01, 0.03, 0.1}) {
                double most = Math.min(12_000, 16e6 / size);
                rates.add(new Measured(new DistantTrial(roundTrip, size, most, 2, 4),
                    Math.min(most, 1 / time.applyAsDouble(roundTrip + 0.0005, size))));
            }
        }
        return rates;
    }

    private static List<WindowChange> changes(FarSide side, String protocol, String broker) {
        return WindowSettings.of(side, protocol, broker).stream().filter(WindowSetting::canBeTried)
            .map(row -> new WindowChange(row, row.value(), Objects.requireNonNullElse(row.tried(row.value()), "?"))).toList();
    }

    private static WindowAnswer answer(List<Measured> rates, double unchanged, Tried... tried) {
        return WindowAnswer.of(FarSide.CONSUMER, AT, "OPENWIRE", "activemq", rates, 0, 0, unchanged, List.of(tried));
    }

    @Test
    void settingsThatCountTheSameAndAreNearestAreTried() {
        WindowFit bytes = Objects.requireNonNull(WindowAnswer.fit(rates((way, size) -> way * (size + 200) / 70_000)));
        assertThat(bytes.limit()).isEqualTo(Limit.BYTES);
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "OPENWIRE", "activemq"), bytes))
            .extracting(change -> change.setting().place())
            .containsExactly(WindowSetting.Component.CLIENT_SOCKET, WindowSetting.Component.BROKER_SOCKET,
                WindowSetting.Component.BOTH_SOCKETS);

        WindowFit messages = Objects.requireNonNull(WindowAnswer.fit(rates((way, _) -> way / 20)));
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "MQTT", "mosquitto"), messages))
            .extracting(change -> change.setting().name())
            .containsExactly("max_inflight_messages");
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "CORE", "artemis"), messages)).isEmpty();

        WindowFit nothing = Objects.requireNonNull(WindowAnswer.fit(rates((_, _) -> 0.0001)));
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "OPENWIRE", "activemq"), nothing)).isEmpty();
    }

    @Test
    void theChangeThatGainsMostGovernsAndIsNamed() {
        List<WindowChange> changes = changes(FarSide.CONSUMER, "OPENWIRE", "activemq").stream()
            .filter(change -> change.setting().unit() == Limit.BYTES).toList();
        WindowAnswer answer = answer(rates((way, size) -> way * (size + 200) / 65_536), 290, new Tried(changes.get(0), 300.0, 1.03),
            new Tried(changes.get(1), 295.0, 1.02), new Tried(changes.get(2), 1100.0, 3.8));

        assertThat(Objects.requireNonNull(answer.governing()).change()).isEqualTo(changes.get(2));
        String sentence = WindowWords.sentence(answer);
        assertThat(sentence).startsWith("The consumer has at most 65,").contains(" bytes under way (95 %: ",
            "; 99 % sure), of which each message takes 200 ",
            "It is the sockets of client and broker, socketBufferSize", "with 262,144 the rate over 100 ms is 3.80 times as high.");
        assertThat(WindowWords.text(List.of(answer)).lines().filter(line -> line.startsWith("| consumer"))).hasSize(16);
        String json = WindowJson.text(List.of(answer), "link");
        assertThat(json).contains("\"way\"", "\"limit\"", "\"bytes\"", "\"gain\"", "\"limitWords\":\"65,", "\"rangeWords\":\"95 %: ");
        // The measured rates lie on the curve, and the window is full over 100 ms.
        assertThat(json)
            .containsPattern("\"roundTripSeconds\":0.1,\"size\":256.0,\"askedPerSecond\":12000.0,\"perSecond\":1[34][0-9]{2}\\.[0-9]+,"
                + "\"explainedPerSecond\":1[34][0-9]{2}\\.[0-9]+,\"messagesUnderWay\":14[0-9]\\.[0-9]+,\"bytesUnderWay\":3[67][0-9]{3}\\.[0-9]+,"
                + "\"windowBytesUsed\":6[56][0-9]{3}");
        assertThat(json).contains("\"curves\":[{");
    }

    @Test
    void anExplanationThatTwoSizesDoNotTellFromItIsNamed() {
        List<Measured> rates = rates((way, size) -> Math.max(way / 100, way * size / 262_144)).stream()
            .filter(one -> one.trial().size() != 2048).toList();
        assertThat(WindowWords.sentence(answer(rates, Double.NaN)))
            .containsPattern(
                "It may also be 100 messages or 26[0-9],[0-9]{3} bytes under way, whichever is less \\([0-9]{2} % sure\\); a third "
                    + "size tells \\(--sizes\\)\\. No setting was tried\\.")
            .doesNotContain("99 % sure");
        assertThat(WindowJson.text(List.of(answer(rates, Double.NaN)), "link")).contains("\"otherLimit\":\"both\"");
        assertThat(WindowWords.sentence(answer(rates((way, size) -> Math.max(way / 100, way * size / 262_144)), Double.NaN)))
            .contains("99 % sure").doesNotContain("may also be");
    }

    @Test
    void ofOneSizeSettingsOfBothUnitsMayBeIt() {
        List<Measured> rates = rates((way, size) -> way * size / 65_536).stream().filter(one -> one.trial().size() == 2048).toList();
        WindowAnswer answer = answer(rates, Double.NaN);

        assertThat(WindowWords.sentence(answer)).startsWith("The consumer has at most 32 messages, or 65,")
            .containsPattern("65,[0-9]{3} bytes of bodies, under way \\(95 %: [0-9.]+ to [0-9.]+ messages; [0-9]+ % sure; "
                + "one size cannot tell them apart\\): messages of 2,048 B go at ")
            .contains("net.ipv4.tcp_rmem").doesNotContain("whatever their size");
        WindowFit fit = Objects.requireNonNull(answer.claim());
        assertThat(WindowWords.limit(fit)).startsWith("32 messages, or 65,");
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "OPENWIRE", "activemq"), fit))
            .extracting(change -> change.setting().name()).contains("socketBufferSize");
        assertThat(WindowChange.worthTrying(changes(FarSide.CONSUMER, "MQTT", "mosquitto"), fit))
            .extracting(change -> change.setting().name()).containsExactly("max_inflight_messages");
        assertThat(WindowJson.text(List.of(answer), "")).contains("\"limit\":\"either\"", "\"windowBytes\":{");
    }

    /** Neither a trial that failed nor one without a rate before the change is evidence about the setting. */
    @Test
    void aChangeWhoseTrialCameToNothingIsNotCalledUseless() {
        List<WindowChange> changes = changes(FarSide.CONSUMER, "OPENWIRE", "activemq").stream()
            .filter(change -> change.setting().unit() == Limit.BYTES).toList();
        List<Measured> rates = rates((way, size) -> way * (size + 200) / 65_536);
        WindowAnswer failed = answer(rates, 290, new Tried(changes.get(0), 292.0, 1.01), new Tried(changes.get(1), null, Double.NaN));
        assertThat(WindowWords.sentence(failed)).contains("None of what was tried changes it: socketBufferSize = 262,144. "
            + "Nothing came of the trial of transport.socketBufferSize = 262,144. What may be it and must be changed by hand: ");
        assertThat(failed.others()).extracting(WindowSetting::name).contains("transport.socketBufferSize")
            .doesNotContain("socketBufferSize");

        WindowAnswer unjudged = answer(rates, Double.NaN, new Tried(changes.get(0), 292.0, Double.NaN));
        assertThat(WindowWords.sentence(unjudged)).contains("what this does: socketBufferSize = 262,144.")
            .doesNotContain("None of what was tried", "No setting was tried");
        assertThat(unjudged.others()).contains(changes.get(0).setting());
        assertThat(WindowWords.text(List.of(failed))).contains("failed");
        assertThat(WindowWords.text(List.of(unjudged))).doesNotContain("failed");
    }

    @Test
    void whatNobodyTriedOrWhatDidNotHelpIsSaid() {
        List<Measured> rates = rates((way, size) -> way * (size + 200) / 65_536);
        WindowChange change =
            changes(FarSide.CONSUMER, "OPENWIRE", "activemq").stream().filter(one -> one.setting().unit() == Limit.BYTES).findFirst()
                .orElseThrow();
        assertThat(WindowWords.sentence(answer(rates, 290, new Tried(change, 292.0, 1.01)))).contains("None of what was tried changes it: ",
            "net.ipv4.tcp_rmem");
        assertThat(WindowWords.sentence(answer(rates, Double.NaN))).contains("No setting was tried.");
        assertThat(WindowWords.sentence(answer(rates.subList(0, 2), Double.NaN))).contains("too few to tell");
        assertThat(WindowWords.sentence(answer(rates((_, _) -> 1e-9), Double.NaN)))
            .contains("Nothing limits the consumer by its distance up to 100 ms: it keeps up with all that was asked for",
                "1,200 messages");
    }

    @Test
    void ratesThatHardlyFallAreNotCalledSure() {
        String json = WindowJson.text(List.of(answer(rates((_, _) -> 1e-9), Double.NaN)), "");
        assertThat(json).contains("\"limit\":\"nothing\"", "\"rangeWords\":null", "\"probability\":null", "\"unexplained\":false");
    }

    /** The machine stalled in two of three trials over the longest distance. */
    @Test
    void ratesThatFallWithoutAWindowAreNotClaimed() {
        List<Measured> rates = new ArrayList<>();
        for (double[] row : new double[][] {{0.001, 1000}, {0.03, 1000}, {0.1, 990}, {0.1, 80}, {0.1, 400}}) {
            DistantTrial trial = new DistantTrial(row[0], 256, 1000, 2, 4);
            rates.add(new Measured(trial, row[1], 0, false, row[1] < 900 ? 3.9 : 0));
        }
        WindowAnswer answer = answer(rates, Double.NaN);
        assertThat(WindowWords.sentence(answer)).isEqualTo("The rate of the consumer falls over distance, down to 40 % of that at the "
            + "shortest one, but no window explains how.");
        assertThat(answer.claim()).isNull();
        assertThat(WindowAnswer.claim(rates)).isNull();
        assertThat(WindowJson.text(List.of(answer), "")).contains("\"limit\":null", "\"contradictory\":false", "\"unexplained\":true",
            "\"limitWords\":null");
    }

    /**
     * Small messages are faster the farther the broker is, and large ones are slower than any window that fits the small ones would make
     * them.
     */
    @Test
    void ofCurvesThatContradictEachOtherNothingIsClaimed() {
        List<Measured> rising = measured(new double[][] {{256, 300, 500, 700, 900}, {16384, 900, 200, 700, 100}});
        WindowAnswer answer = answer(rising, Double.NaN);
        assertThat(answer.contradicts()).isTrue();
        assertThat(answer.claim()).isNull();
        assertThat(WindowWords.sentence(answer))
            .startsWith("The measured curves of the consumer contradict each other, and nothing is claimed: messages of ")
            .contains(", which is more, over ").doesNotContain("falls over distance", "Nothing limits", "at most");
        assertThat(WindowJson.text(List.of(answer), "link")).contains("\"limit\":null", "\"limitWords\":null", "\"rangeWords\":null");

        // Rates that only rise do not mean "nothing limits" either.
        assertThat(WindowWords.sentence(answer(measured(new double[][] {{256, 300, 500, 700, 900}}), Double.NaN)))
            .contains("contradict each other", "go at 300 a second over 1 ms and at 900, which is more, over 100 ms");

        // Rates that a window explains do not contradict each other, even if one trial is slow because of a busy machine.
        List<Measured> windowed = new ArrayList<>(rates((way, size) -> way * (size + 200) / 65_536));
        assertThat(answer(windowed, 290).contradicts()).isFalse();
        Measured first = windowed.getFirst();
        windowed.set(0, new Measured(first.trial(), first.rate() / 3));
        assertThat(answer(windowed, 290).contradicts()).isFalse();
        assertThat(answer(rates((_, _) -> 0.0001), Double.NaN).contradicts()).isFalse();
    }

    /** Small messages slow down as with a window, but larger ones, which any window would slow down more, do not. */
    @Test
    void sizesThatDisagreeContradictEachOther() {
        WindowAnswer answer = answer(measured(new double[][] {{256, 1000, 500, 280, 120}, {2048, 400, 400, 390, 400},
            {16384, 1000, 950, 980, 940}}), Double.NaN);
        assertThat(WindowWords.sentence(answer)).contains("contradict each other, and nothing is claimed");
    }

    /**
     * Rates measured for a transacted consumer of ActiveMQ over a link: one message at a time, each of which takes one to three round
     * trips. A third of the rates is less than half of what the window allows, and all curves fall.
     */
    @Test
    void ratesFarBelowAWindowAreNoContradictionWhereAllCurvesFall() {
        WindowAnswer answer = answer(measured(new double[][] {{256, 383, 71.2, 25.6, 5.51}, {2048, 337, 34.2, 14.4, 4.05},
            {16384, 523, 26.7, 12.4, 3.17}}), Double.NaN);
        assertThat(answer.contradicts()).isFalse();
        assertThat(WindowWords.sentence(answer)).contains("at most 0.78 messages under way").doesNotContain("contradict");
    }

    /**
     * Rates measured on a busy machine with a rate of 200/s set by the user. Late messages of the warm-up raised one rate above the asked
     * one. Guards against taking this for a window of 10 messages.
     */
    @Test
    void moreThanWasAskedForIsNoRateThatFalls() {
        List<Measured> rates = new ArrayList<>();
        for (double[] row : new double[][] {{256, 0.005, 230}, {256, 0.05, 202}, {4096, 0.005, 200}, {4096, 0.05, 201}}) {
            DistantTrial trial = new DistantTrial(row[1], row[0], Math.min(12_000, 16e6 / row[0]), 0.5, 0.6);
            rates.add(new Measured(trial.asked(200), row[2], 0, row[1] < 0.01, 0));
        }
        WindowAnswer answer = answer(rates, Double.NaN);
        assertThat(Objects.requireNonNull(answer.claim()).limit()).isEqualTo(Limit.NOTHING);
        assertThat(WindowWords.sentence(answer))
            .startsWith("Nothing limits the consumer by its distance up to 50 ms: it keeps up with all that was asked for.")
            .endsWith(" 2 of the 4 trials were doubtful, and their results say why.");
        assertThat(AT.asked(Double.NaN)).isSameAs(AT);
        assertThat(AT.asked(200).isAt(AT)).isTrue();
    }

    /** A broker that handles 9,000 small messages a second: 111 us for each. */
    @Test
    void whatASizeFallsShortOfIsNotCalledKept() {
        WindowAnswer answer = answer(rates((_, _) -> 1 / 9_000.0), Double.NaN);
        assertThat(Objects.requireNonNull(answer.claim()).limit()).isEqualTo(Limit.NOTHING);
        assertThat(WindowWords.sentence(answer))
            .startsWith("Nothing limits the consumer by its distance up to 100 ms: it keeps up with all "
                + "that was asked for but messages of 256 B, for which a service time of 111 us a message is its limit, however far it is. ");

        WindowAnswer slower = answer(rates((_, _) -> 1 / 5_000.0), Double.NaN);
        assertThat(WindowWords.sentence(slower)).contains(
            "all that was asked for but messages of 256 and 2,048 B, for which a service time of 200 us a message is its limit, ");
    }

    /** Returns rates of a far producer without an asked rate. */
    private static List<Measured> unlimited(List<Measured> rates, double size, DoubleBinaryOperator time) {
        return rates.stream().map(Measured::trial).filter(one -> size == 0 || one.size() == size)
            .map(one -> new Measured(new DistantTrial(one.roundTrip(), one.size(), Double.POSITIVE_INFINITY, 2, 4),
                1 / time.applyAsDouble(one.roundTrip(), one.size())))
            .toList();
    }

    private static String ownLimit(double size, double perMessage, double ofLargest) {
        List<Measured> rates = unlimited(rates((_, _) -> 1), size, (_, bytes) -> perMessage + ofLargest * bytes / 16384);
        return WindowWords.sentence(answer(rates, Double.NaN)).replaceFirst(".*: (.*) is its limit.*", "$1");
    }

    @Test
    void aServiceTimeAndABandwidthAreBothNamedWhereBothCount() {
        assertThat(ownLimit(0, 20e-6, 50e-6)).isEqualTo("a service time of 20.0 us a message and 3.05 us a kB");
        assertThat(ownLimit(0, 10e-6, 100e-6)).isEqualTo("a service time of 10.0 us a message and 6.10 us a kB");
        assertThat(ownLimit(0, 100e-6, 2e-6)).isEqualTo("a service time of 100 us a message");
        assertThat(ownLimit(0, 0.5e-6, 1e-3)).isEqualTo("a bandwidth of 16.4 MB/s");
    }

    /** The rates of one size show the time per message, but not which part of it depends on the size. */
    @Test
    void ofOneSizeTheTimeOfAMessageIsNamedWhole() {
        for (double micros : new double[] {10.16, 11.11, 70.12}) {
            assertThat(ownLimit(256, micros / 2e6, micros / 2e6 * 64))
                .isEqualTo("a service time of " + WindowWords.number(micros) + " us a message");
        }
        String json = WindowJson.text(List.of(answer(unlimited(rates((_, _) -> 1), 256, (_, _) -> 1e-3), Double.NaN)), "");
        assertThat(json).containsPattern("\"secondsPerMessage\":(9\\.99|0\\.00099|0\\.00100|0\\.001,)").contains("\"secondsPerByte\":null");
    }

    /** Messages of 2,048 B reach 16 MB/s, so the larger ones are not limited by a bandwidth of 8.19 MB/s. */
    @Test
    void ofOneSlowSizeTheTimeOfAMessageIsNamed() {
        assertThat(WindowWords.sentence(answer(rates((_, size) -> size < 3000 ? 1e-9 : 2e-3), Double.NaN)))
            .contains("but messages of 16,384 B, for which a service time of 2,000 us a message is its limit");
    }

    /** Only one of several sizes is slow. Guards against JSON with a time per message and one per byte, which one size cannot separate. */
    @Test
    void theJsonHasTheServiceTimeOfTheSentence() {
        String slow = WindowJson.text(List.of(answer(rates((_, size) -> size < 3000 ? 1e-9 : 2e-3), Double.NaN)), "");
        assertThat(slow).contains("a service time of 2,000 us a message", "\"secondsPerMessage\":0.002,",
            "\"secondsPerByte\":null");

        List<Measured> falling = new ArrayList<>();
        for (double[] row : new double[][] {{0.001, 500}, {0.01, 400}, {0.03, 420}, {0.1, 500}, {0.1, 430}, {0.1, 420}}) {
            falling.add(new Measured(new DistantTrial(row[0], 256, Double.POSITIVE_INFINITY, 2, 4), row[1]));
        }
        WindowAnswer answer = answer(falling, Double.NaN);
        WindowFit fit = Objects.requireNonNull(answer.claim());
        assertThat(fit.limit()).isEqualTo(Limit.NOTHING);
        assertThat(WindowWords.sentence(answer)).contains("which the scatter of the rates explains")
            .contains("a service time of " + WindowWords.number(fit.perMessage() * 1e6) + " us a message");
    }

    @Test
    void trialsThatWereNotRunDidNotComeToNothing() {
        WindowAnswer answer = WindowAnswer.of(FarSide.CONSUMER, AT, "", "",
            rates((way, size) -> way * (size + 200) / 65_536).subList(0, 7), 1, 4, Double.NaN, List.of());
        assertThat(WindowWords.sentence(answer)).endsWith(" One trial came to nothing. 4 trials were not run to their end.");
        assertThat(WindowJson.text(List.of(answer), "")).containsPattern("\"trialsWithoutRate\":5,\\s*\"trialsNotRun\":4");
        assertThat(WindowWords.sentence(WindowAnswer.of(FarSide.CONSUMER, AT, "", "", List.of(), 0, 12, Double.NaN, List.of())))
            .isEqualTo("The consumer: only 0 of 12 trials came to a rate, which is too few to tell. 12 trials were not run to their end.");
    }

    /**
     * Returns the answer for rates measured beside other work on both cores, with an asked rate of 200/s.
     *
     * @param rows size in bytes, round trip in seconds, rate per second and the time in seconds for which the machine delayed the trial
     */
    private static WindowAnswer busy(double[][] rows) {
        List<Measured> rates = new ArrayList<>();
        for (double[] row : rows) {
            DistantTrial trial = new DistantTrial(row[1], row[0], Math.min(12_000, 16e6 / row[0]), 0.5, row[1] < 0.01 ? 1 : 1.1);
            rates.add(new Measured(trial.asked(200), row[2], 0, false, row[3]));
        }
        return answer(rates, Double.NaN);
    }

    @Test
    void aTrialOfAnotherSizeThatWasHeldUpExplainsNothing() {
        WindowAnswer answer = busy(new double[][] {{256, 0.005, 199, 0}, {256, 0.05, 200, 0.2}, {4096, 0.005, 200, 0},
            {4096, 0.05, 158, 0}, {4096, 0.05, 199, 0}, {4096, 0.05, 150, 0}});
        assertThat(WindowWords.sentence(answer))
            .contains("its rate fell to 79 % of that over the shortest, which the scatter of the rates explains. Up to ");
    }

    @Test
    void aRateThatFellAlthoughNothingLimitsItIsNotCalledKept() {
        WindowAnswer answer =
            busy(new double[][] {{256, 0.005, 199, 0}, {256, 0.05, 200, 0}, {4096, 0.005, 200, 0}, {4096, 0.05, 158, 0.2}});
        assertThat(Objects.requireNonNull(answer.claim()).limit()).isEqualTo(Limit.NOTHING);
        assertThat(WindowWords.sentence(answer))
            .startsWith("Nothing limits the consumer by its distance up to 50 ms, as far as these rates "
                + "tell: over the longest distance its rate fell to 79 % of that over the shortest, which hold-ups of the machine explain. Up to ");
    }

    /**
     * Returns rates of which 100,000 a second were asked.
     *
     * @param rows each a size and its rates over 1, 10, 30 and 100 ms
     */
    private static List<Measured> measured(double[][] rows) {
        double[] ways = {0.001, 0.01, 0.03, 0.1};
        List<Measured> rates = new ArrayList<>();
        for (double[] row : rows) {
            for (int i = 0; i < ways.length; i++) {
                rates.add(new Measured(new DistantTrial(ways[i], row[0], 100_000, 2, 4), row[i + 1]));
            }
        }
        return rates;
    }

    /** Numbers as small as these occur over the longest distance with a window of one message. */
    @Test
    void threeDigitsCountOfASmallNumberToo() {
        assertThat(WindowWords.number(0.00033333)).isEqualTo("0.000333");
        assertThat(WindowWords.number(0.0333)).isEqualTo("0.0333");
        assertThat(WindowWords.number(0.09996)).isEqualTo("0.10");
        assertThat(WindowWords.number(0.7797)).isEqualTo("0.78");
        assertThat(WindowWords.number(65_358)).isEqualTo("65,358");
        assertThat(WindowWords.number(0)).isEqualTo("0");
    }

    @Test
    void everyRowOfTheTableCanBeRead() {
        assertThat(WindowSettings.all()).hasSizeGreaterThan(30).allSatisfy(row -> {
            assertThat(row.source()).isNotBlank();
            assertThat(row.unit()).isIn(Limit.MESSAGES, Limit.BYTES);
            assertThat(row.canBeTried()).isEqualTo(!row.change().isEmpty());
            assertThat(row.key()).matches("|((producers|consumers|broker)\\.[A-Za-z0-9._-]+,?)+|url\\?[a-z-]+");
        });
        assertThat(WindowSettings.of(FarSide.CONSUMER, "OPENWIRE", "artemis")).extracting(WindowSetting::place)
            .doesNotContain(WindowSetting.Component.BROKER_SOCKET);
    }
}
