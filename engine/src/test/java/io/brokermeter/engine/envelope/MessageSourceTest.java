package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.recording.Allocation;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageSourceTest {

    private static final int MANY = 100_000;

    @TempDir
    Path directory;

    private static Messages messages(String sizes, Content content, boolean bare, @Nullable Keys keys, String priorities,
            String... headers) {
        return Messages.of(its -> {
            its.sizes = Sizes.parse(sizes);
            its.content = content;
            its.bare = bare;
            its.keys = keys;
            its.priorities = priorities.isEmpty() ? List.of() : Messages.priorities(priorities);
            its.headers = Arrays.stream(headers).map(text -> text.split("=", 2)).map(pair -> Header.parse(pair[0], pair[1])).toList();
        });
    }

    private static Messages ofSizes(String sizes) {
        return messages(sizes, new Content.Random(), false, null, "");
    }

    private static Messages ofContent(String content) {
        return messages("1024", Content.parse(content), false, null, "");
    }

    private static MessageSource source(Messages messages, int producer, long seed) {
        return MessageStock.of(messages, 3).source(7, producer, producer, 3, seed);
    }

    @Test
    void tellsDriversWhenAMessageIsSent() {
        MessageSource source = source(ofSizes("100"), 0, 42);
        assertThat(source.payload().sentMillis()).as("not stamped yet").isBetween(1_700_000_000_000L, System.currentTimeMillis());
        source.next(0);
        source.stamp(0, 1_700_000_000_123_000_000L, 4_999_999);
        assertThat(source.payload().sentMillis()).isEqualTo(1_700_000_000_127L);
    }

    private static int[] sizes(Messages messages, int count) {
        MessageSource source = source(messages, 0, 42);
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            source.next(i);
            sizes[i] = source.payload().length();
        }
        return sizes;
    }

    private static double[] shares(Messages messages, int variants) {
        MessageSource source = source(messages, 0, 42);
        double[] shares = new double[variants];
        for (int i = 0; i < MANY; i++) {
            source.next(i);
            shares[source.payload().variant()] += 1.0 / MANY;
        }
        return shares;
    }

    /** Returns the texts of the first messages of a producer. */
    private static List<String> texts(Messages messages, int producer, long seed, int count) {
        MessageSource source = source(messages, producer, seed);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            source.next(i);
            texts.add(new String(source.payload().copy(), StandardCharsets.UTF_8));
        }
        return texts;
    }

    // ---- sizes ----

    @Test
    void aListOfSizesComesInTurn() {
        assertThat(sizes(ofSizes("list:100,200,300"), 5)).containsExactly(100, 200, 300, 100, 200);
    }

    @Test
    void uniformSizesFillTheirRangeEvenly() {
        int[] sizes = sizes(ofSizes("uniform:100..199"), MANY);
        int[] counts = new int[100];
        for (int size : sizes) {
            counts[size - 100]++;
        }
        assertThat(Arrays.stream(counts)).allSatisfy(count -> assertThat(count).isBetween(850, 1150));
    }

    @Test
    void lognormalSizesHaveTheirMedianTheirSpreadAndTheirLargest() {
        int[] sizes = sizes(ofSizes("lognormal:1000,0.5,3000"), MANY);
        Arrays.sort(sizes);
        // Cut at 3000, which is 2.197 sigma above the median: 1.4 % of the whole distribution are above it.
        double below = 0.98599;
        assertThat(sizes[MANY / 2]).isCloseTo((int) Math.round(1000 * Math.exp(0.5 * -0.01756)), within(12));
        assertThat(sizes[(int) (MANY * 0.158655 / below)]).isCloseTo((int) Math.round(1000 * Math.exp(-0.5)), within(10));
        assertThat(sizes[MANY - 1]).isBetween(2900, 3000);
    }

    @Test
    void lognormalSizesReachTheirLargest() {
        assertThat(Arrays.stream(sizes(ofSizes("lognormal:100,0.5,110"), 10_000)).max()).hasValue(110);
    }

    @Test
    void lognormalSizesAreRaisedToTheEnvelopeUnlessMessagesAreBare() {
        assertThat(Arrays.stream(sizes(ofSizes("lognormal:30,1.5"), 10_000)).min()).hasValue(Envelope.SIZE);
        assertThat(Arrays.stream(sizes(messages("lognormal:30,1.5", new Content.Random(), true, null, ""), 10_000)).min()
            .orElseThrow()).isLessThan(5);
    }

    @Test
    void empiricalSizesComeWithTheirShares() {
        int[] sizes = sizes(ofSizes("empirical:100=70%,200=25%,300=5%"), MANY);
        assertThat(Arrays.stream(sizes).filter(size -> size == 100).count() / (double) MANY).isCloseTo(0.70, within(0.01));
        assertThat(Arrays.stream(sizes).filter(size -> size == 300).count() / (double) MANY).isCloseTo(0.05, within(0.005));
    }

    @Test
    void bodiesOfAllSizesAreTheStreamThatReceiversKnow() {
        MessageSource source = source(ofSizes("uniform:28..70000"), 0, 1);
        Bodies.Checker checker = new Bodies.Checker();
        for (int i = 0; i < 200; i++) {
            source.next(i);
            source.stamp(i, 5, 6);
            ByteBuffer body = source.payload().buffer();
            assertThat(Envelope.isIn(body) && Envelope.bodyIsKnown(body) && checker.intact(body, body)).isTrue();
            assertThat(Envelope.sequence(body)).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"random", "constant:x", "compressible:50%", "json:{\"n\":{{counter}},\"who\":\"{{hex:8}}\"}", "file:", "lines:"})
    void receiversSeeEveryBodyThatWasCutOrChanged(String content) throws Exception {
        Path file = Files.writeString(directory.resolve("c"), "first line of some length\nsecond\nand a third\n");
        Messages messages = messages("uniform:64..200", Content.parse(content.endsWith(":") ? content + file : content), false, null, "");
        MessageSource source = source(messages, 0, 1);
        Bodies.Checker checker = new Bodies.Checker();
        for (int i = 0; i < 20; i++) {
            source.next(i);
            source.stamp(i, EpochClock.nanos(), 6);
            ByteBuffer body = source.payload().buffer();
            byte[] beside = source.payload().envelope();
            ByteBuffer head = beside == null ? body : ByteBuffer.wrap(beside);
            assertThat(Envelope.isIn(head)).isTrue();
            assertThat(checker.intact(head, body)).isTrue();
            int limit = body.limit();
            int from = body.position() + (beside == null ? Envelope.SIZE : 0);
            for (int less = 1; less <= limit - from; less++) {
                body.limit(limit - less);
                assertThat(checker.intact(head, body)).as("%d bytes less", less).isFalse();
            }
            body.limit(limit);
            for (int at = from; at < limit; at++) {
                body.put(at, (byte) (body.get(at) ^ 4));
                assertThat(checker.intact(head, body)).as("byte %d", at).isFalse();
                body.put(at, (byte) (body.get(at) ^ 4));
            }
        }
    }

    // ---- keys, priorities, headers ----

    @Test
    void zipfsLawHolds() {
        int keys = 1000;
        double[] shares = shares(messages("64", new Content.Random(), false, new Keys("k", keys, new Keys.Spread.Zipf(1.1)), ""), keys);
        double sum = 0;
        for (int k = 1; k <= keys; k++) {
            sum += Math.pow(k, -1.1);
        }
        for (int k = 0; k < keys; k++) {
            double law = Math.pow(k + 1, -1.1) / sum;
            // Five standard deviations of a binomial count, and one more message.
            assertThat(shares[k]).as("key %d", k).isCloseTo(law, within(5 * Math.sqrt(law * (1 - law) / MANY) + 1.0 / MANY));
        }
    }

    @Test
    void anAliasTableIsItsLawExactly() {
        double[] weights = new SplittableRandom(3).doubles(257, 0.001, 10).toArray();
        double sum = Arrays.stream(weights).sum();
        AliasTable table = AliasTable.of(weights);
        // All possible draws, on a grid so fine that the edge of each slot is wrong by at most one point of a thousand.
        double[] found = new double[weights.length];
        int grid = weights.length * 1000;
        for (int i = 0; i < grid; i++) {
            found[table.at((i + 0.5) / grid)] += 1.0 / grid;
        }
        for (int i = 0; i < weights.length; i++) {
            assertThat(found[i]).isCloseTo(weights[i] / sum, within(20.0 / grid));
        }
    }

    /** Three quarters of the draws are for the second index: the upper half of the first slot, and its own. */
    @Test
    void aDrawAtTheEdgeOfASlotIsForTheOtherIndex() {
        AliasTable table = AliasTable.of(1, 3);
        assertThat(DoubleStream.of(0, 0.2499, 0.25, 0.4999, 0.5, 0.9999).mapToInt(table::at)).containsExactly(0, 0, 1, 1, 1, 1);
    }

    @Test
    void keysInTurnBeginElsewhereForEachProducer() {
        Messages messages = messages("64", new Content.Random(), false, new Keys("k", 4, new Keys.Spread.InTurn()), "");
        for (int producer = 0; producer < 3; producer++) {
            MessageSource source = source(messages, producer, 1);
            for (int i = 0; i < 9; i++) {
                source.next(i);
                assertThat(source.payload().variant()).isEqualTo((producer + i) % 4);
            }
        }
    }

    @Test
    void variantsAreNumberedByKeyThenPriorityThenHeaders() {
        double[] shares = shares(messages("64", new Content.Random(), false, new Keys("k", 2, new Keys.Spread.Uniform()), "4:90%,9:10%",
            "fixed=x", "region={eu:30%,us:70%}"), 8);
        double[] expected =
            {.5 * .9 * .3, .5 * .9 * .7, .5 * .1 * .3, .5 * .1 * .7, .5 * .9 * .3, .5 * .9 * .7, .5 * .1 * .3, .5 * .1 * .7};
        for (int i = 0; i < 8; i++) {
            assertThat(shares[i]).isCloseTo(expected[i], within(0.007));
        }
    }

    // ---- contents ----

    /** What sending needs to know before the first message: the memory, and whether all bodies are alike. */
    @ParameterizedTest
    @CsvSource({"500, random, 500, 500, true", "'list:50,100', random, 100, 100, false",
        "'list:5,20', random, 20, 20, false", "'list:100,100', constant:x, 100, 100, true", "500, text:{{text:9}}, 9, 9, false",
        "500, file:, 11, 0, true", "500, lines:, 5, 5, false"})
    void theLongestBodyAndTheMemoryOfAProducer(String sizes, String content, int longest, int bytes, boolean alike) throws Exception {
        Path file = Files.writeString(directory.resolve("l"), "a\nbcdef\nghi");
        Messages messages = messages(sizes, Content.parse(content.endsWith(":") ? content + file : content), false, null, "");
        MessageStock stock = MessageStock.of(messages, 1);
        assertThat(stock.longest()).isEqualTo(longest);
        assertThat(stock.bytes()).isEqualTo(bytes);
        assertThat(stock.source(7, 0, 0, 1, 1).isOneLength()).isEqualTo(alike);
    }

    /** The counts of consumers, as messages: what came since the message before, and altogether. */
    @Test
    void aMessageOfCountsSaysWhatCameSinceTheOneBefore() {
        long[] count = {0};
        MessageSource source = MessageSource.counts(ofSizes("100"), 7, 3, () -> count[0]);
        assertThat(source.isOneLength()).isTrue();
        long[] counts = {0, 987, 1_000, 1_234_567_890_123L};
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            count[0] = counts[i];
            source.next(i);
            source.stamp(i, 1, 1);
            ByteBuffer body = source.payload().buffer();
            assertThat(new Bodies.Checker().intact(body, body)).isTrue();
            assertThat(Envelope.run(body)).isEqualTo(7);
            assertThat(Envelope.producer(body)).isEqualTo(3);
            texts.add(new String(source.payload().copy(), Envelope.SIZE, 100 - Envelope.SIZE, StandardCharsets.US_ASCII));
        }
        assertThat(texts).allSatisfy(text -> assertThat(text).matches("\\{\"messages\":[ 0-9]{12},\"total\":[ 0-9]{12}} {26}"));
        assertThat(texts).extracting(text -> text.replaceAll("[^0-9,]", "")).as("the last twelve digits")
            .containsExactly("0,0", "987,987", "13,1000", "234567889123,234567890123");
    }

    @Test
    void aConstantByteFillsTheBody() {
        MessageSource source = source(ofContent("constant:x"), 0, 1);
        source.next(0);
        source.stamp(0, 1, 1);
        byte[] body = source.payload().copy();
        assertThat(Envelope.isIn(ByteBuffer.wrap(body))).isTrue();
        assertThat(Envelope.bodyIsKnown(ByteBuffer.wrap(body))).isFalse();
        assertThat(new String(body, Envelope.SIZE, 1024 - Envelope.SIZE, StandardCharsets.US_ASCII)).isEqualTo("x".repeat(996));
    }

    @ParameterizedTest
    @CsvSource({"25%, 0.75", "50%, 0.5", "90%, 0.1"})
    void compressibleBodiesShrinkByTheirShareEvenManyAtOnce(String share, double expected) throws Exception {
        MessageSource source = source(ofContent("compressible:" + share), 0, 1);
        ByteArrayOutputStream squeezed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(squeezed, new Deflater(6))) {
            for (int i = 0; i < 2000; i++) {
                source.next(i);
                source.stamp(i, 1, 1);
                out.write(source.payload().bytes(), 0, source.payload().length());
            }
        }
        assertThat(squeezed.size() / (2000.0 * 1024)).isCloseTo(expected, within(0.05));
    }

    @Test
    void aCompressibleBodyKeepsItsEnvelope() {
        MessageSource source = source(ofContent("compressible:50%"), 2, 1);
        for (int i = 0; i < 5000; i++) {
            source.next(i);
            source.stamp(i, 77, 0);
            ByteBuffer body = source.payload().buffer();
            assertThat(Envelope.isIn(body)).isTrue();
            assertThat(Envelope.producer(body)).isEqualTo(2);
            assertThat(Envelope.sequence(body)).isEqualTo(i);
        }
    }

    @Test
    void aFileIsTheBodyAndTheEnvelopeTravelsBesideIt() throws Exception {
        Path file = Files.writeString(directory.resolve("f"), "abc\n");
        MessageSource source = source(ofContent("file:" + file), 1, 1);
        source.next(0);
        long now = EpochClock.nanos();
        source.stamp(0, now, 0);
        Payload payload = source.payload();
        assertThat(payload.copy()).asString(StandardCharsets.UTF_8).isEqualTo("abc\n");
        ByteBuffer envelope = ByteBuffer.wrap(payload.envelope());
        assertThat(Envelope.isIn(envelope)).isTrue();
        assertThat(Envelope.bodyIsKnown(envelope)).isFalse();
        assertThat(Envelope.producer(envelope)).isEqualTo(1);
        assertThat(Envelope.intended(envelope)).isEqualTo(now);
    }

    @Test
    void bareMessagesHaveNoEnvelopeAnywhere() throws Exception {
        Path file = Files.writeString(directory.resolve("f"), "abc");
        MessageSource source = source(messages("1024", new Content.WholeFile(file), true, null, ""), 0, 1);
        source.next(0);
        source.stamp(0, 1, 1);
        assertThat(source.payload().envelope()).isNull();
        assertThat(source.payload().copy()).asString(StandardCharsets.UTF_8).isEqualTo("abc");
    }

    @Test
    void theLinesOfAFileAreDealtOutToTheProducersInTheOrderOfTheSchedule() throws Exception {
        Path file = Files.writeString(directory.resolve("l"), "\ufeffzero\r\none\n\n  \n\u2003\ntwo\r\u00e9t\u00e9");
        Messages messages = ofContent("lines:" + file);
        assertThat(texts(messages, 0, 1, 3)).containsExactly("zero", "\u00e9t\u00e9", "two");
        assertThat(texts(messages, 1, 1, 3)).containsExactly("one", "zero", "\u00e9t\u00e9");
        assertThat(texts(messages, 2, 1, 3)).containsExactly("two", "one", "zero");
    }

    @Test
    void eachLineOfALongFileIsSent() throws Exception {
        List<String> lines = IntStream.range(0, 3_000).mapToObj(i -> "line " + i).toList();
        Path file = Files.writeString(directory.resolve("l"), String.join("\r\n", lines) + "\r\n");
        MessageSource source = MessageStock.of(ofContent("lines:" + file), 1).source(7, 0, 0, 1, 1);
        for (int i = 0; i < 3_001; i++) {
            source.next(i);
            assertThat(source.payload().copy()).asString(StandardCharsets.US_ASCII).isEqualTo(lines.get(i % 3_000));
        }
    }

    @ParameterizedTest
    @CsvSource({"file", "lines"})
    void aFileThatCannotBeUsedIsRefused(String kind) throws Exception {
        Path file = directory.resolve("f");
        refused(kind + ":" + file, "File " + file + ", which bodies are to be made of, does not exist.");
        refused(kind + ":" + directory, directory + ", which bodies are to be made of, is not a plain file.");
        Files.write(file, new byte[0]);
        refused(kind + ":" + file, "File " + file + ", which bodies are to be made of, is empty.");
        Files.writeString(file, " \n\t\n");
        if (kind.equals("lines")) {
            refused(kind + ":" + file, "File " + file + ", whose lines are to be sent, has none but blank ones.");
            Files.writeString(file, "\ufeff");
            refused(kind + ":" + file, "File " + file + ", whose lines are to be sent, has none but blank ones.");
        }
        long most = Runtime.getRuntime().maxMemory() / 4;
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            // Of which nothing is stored but its length.
            large.setLength(most + 1);
        }
        refused(kind + ":" + file, "File " + file + " is larger than " + (most >> 20) + " MiB, a quarter of the memory there is; give more "
            + "with JAVA_ARGS=-Xmx4g or so.");
    }

    private static void refused(String content, String sentence) {
        assertThatThrownBy(() -> MessageStock.of(ofContent(content), 1)).isInstanceOf(UsageException.class).hasMessage(sentence);
    }

    @Test
    void bodiesThatDoNotFitIntoMemoryAreRefused() {
        assertThatThrownBy(() -> MessageStock.of(ofSizes("1MiB"), 100_000)).isInstanceOf(UsageException.class)
            .hasMessage("Bodies of up to 1048576 bytes for 100,000 producers do not fit into "
                + (Runtime.getRuntime().maxMemory() / 4 * 3 >> 20)
                + " MiB, three quarters of the memory there is; make them smaller, or give "
                + "more with JAVA_ARGS=-Xmx4g or so.");
    }

    // ---- templates ----

    @Test
    void aTemplateIsRenderedFromItsSeed() {
        String template =
            "json:{\"n\":{{counter}},\"m\":{{counter:10,5}},\"i\":{{int:-3..3}},\"f\":{{float:0..1}},\"g\":{{ float : -2.500 .. 2 ,4}},"
                + "\"t\":\"{{text:5}}\",\"h\":\"{{hex:20}}\",\"u\":\"{{uuid}}\",\"c\":\"{{choice:a|bb|}}\",\"p\":{{producer}},\"o\":{\"q\":{{counter}}}}";
        List<String> texts = texts(ofContent(template), 1, 11, 200);
        assertThat(texts).isEqualTo(texts(ofContent(template), 1, 11, 200)).isNotEqualTo(texts(ofContent(template), 1, 12, 200));
        for (int i = 0; i < texts.size(); i++) {
            int number = 1 + 3 * i;
            assertThat(texts.get(i)).matches("\\{\"n\":" + number + ",\"m\":" + (10 + 5 * number) + ",\"i\":-?[0-3],\"f\":[01]\\.\\d\\d,"
                + "\"g\":-?[0-2]\\.\\d{4},\"t\":\"[a-z]{5}\",\"h\":\"[0-9a-f]{20}\","
                + "\"u\":\"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\",\"c\":\"(a|bb|)\",\"p\":1,\"o\":\\{\"q\":"
                + number + "}}");
        }
        assertThat(texts.stream().map(text -> text.replaceAll(".*\"i\":(-?\\d).*", "$1")).distinct()).hasSize(7);
        assertThat(texts.stream().map(text -> text.replaceAll(".*\"u\":\"(.{36}).*", "$1")).distinct()).hasSize(200);
    }

    @Test
    void twoProducersWriteDifferentTexts() {
        assertThat(texts(ofContent("text:{{text:10}}"), 0, 1, 5))
            .doesNotContainAnyElementsOf(texts(ofContent("text:{{text:10}}"), 1, 2, 5));
    }

    @Test
    void timeIsThatOfTheMessageInUtc() {
        Template template = Template.of((Content.Template) Content.parse("text:{{time}} {{millis}}"));
        long[] now = {1_709_164_799_999L * 1_000_000};
        BodyMaker maker = template.maker(new BodyLaw.Place(0, 0, 1, new SplittableRandom(1)), () -> now[0]);
        byte[] array = new byte[template.longest()];
        assertThat(new String(array, 0, maker.make(array, 0), StandardCharsets.US_ASCII))
            .isEqualTo("2024-02-28T23:59:59.999Z 1709164799999");
        now[0] += 1_000_000;
        assertThat(new String(array, 0, maker.make(array, 1), StandardCharsets.US_ASCII))
            .isEqualTo("2024-02-29T00:00:00.000Z 1709164800000");
    }

    /** Digits are those of the producer's random numbers, the UUID one of version 4 made of two of them. */
    @Test
    void hexadecimalDigitsAreThoseOfRandomNumbers() {
        Template template = Template.of((Content.Template) Content.parse("text:{{hex:20}} {{uuid}}"));
        BodyMaker maker = template.maker(new BodyLaw.Place(0, 0, 1, new SplittableRandom(1)), () -> 0);
        byte[] array = new byte[template.longest()];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20; i++) {
            String expected = "%016x%04x %s".formatted(random.nextLong(), random.nextLong() & 0xFFFF,
                new UUID(random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL | 0x4000, random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL | Long.MIN_VALUE));
            assertThat(new String(array, 0, maker.make(array, i), StandardCharsets.US_ASCII)).isEqualTo(expected);
        }
    }

    @Test
    void numbersOfARangeReachBothBounds() {
        List<String> texts = texts(ofContent("text:{{int:-1..1}} {{float:-0.1..0.1,1}}"), 0, 1, 500);
        assertThat(texts.stream().map(text -> text.split(" ")[0]).distinct()).containsExactlyInAnyOrder("-1", "0", "1");
        assertThat(texts.stream().map(text -> text.split(" ")[1]).distinct()).containsExactlyInAnyOrder("-0.1", "0.0", "0.1");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "=>", quoteCharacter = '"', value = {
        "a{{cuonter}} => line 1, column 2: {{cuonter}} is not known; there are counter, int, float, text, hex, uuid, time, millis, choice and producer.",
        "a{{counter => line 1, column 2: {{ is not closed by }} in its line.",
        "{{int}} => line 1, column 1: {{int}} needs a range, like {{int:1..100}}.",
        "{{int:9..1}} => line 1, column 1: the range of {{int:9..1}} goes backwards.",
        "{{int:a..1}} => line 1, column 1: 'a' is not a whole number that fits.",
        "{{float:0..x}} => line 1, column 1: 'x' is not a number that fits.",
        "{{float:0..1.25,1}} => line 1, column 1: {{float:0..1.25,1}} must have from 1 to 9 decimals, and no fewer than its bounds.",
        "{{text}} => line 1, column 1: {{text}} needs a number from 1 to 1048576, like {{text:16}}.",
        "{{hex:0}} => line 1, column 1: {{hex}} needs a number from 1 to 1048576, like {{hex:8}}.",
        "{{uuid:4}} => line 1, column 1: {{uuid}} takes nothing after a colon, not '4'.",
        "{{counter:1,2,3}} => line 1, column 1: {{counter:1,2,3}} must be like {{counter:10}} or {{counter:10,2}}.",
        "{{choice:}} => line 1, column 1: {{choice}} needs something to choose from, like {{choice:red|green|blue}}.",
    })
    void aMistakeInATemplateIsNamedWithItsPlace(String text, String expected) {
        refused("text:" + text, "In template '" + text + "', " + expected);
    }

    @Test
    void aMistakeInALaterLineIsNamedWithItsLine() throws Exception {
        Path file = Files.writeString(directory.resolve("t.json"), "{\n  \"a\": {{counter}},\n  \"b\": {{x}}\n}\n");
        refused("template:" + file, "In template " + file + ", line 3, column 8: {{x}} is not known; there are counter, int, float, text, "
            + "hex, uuid, time, millis, choice and producer.");
    }

    // ---- cost ----

    @ParameterizedTest
    @ValueSource(strings = {"random", "compressible:50%", "constant:x",
        "text:{{counter}} {{int:1..100}} {{float:0..1}} {{text:9}} {{hex:9}} {{uuid}} {{time}} {{millis}} {{choice:a|b}} {{producer}}",
        "lines"})
    void nothingIsAllocatedForAMessage(String content) throws Exception {
        Path file = Files.writeString(directory.resolve("l"), "a\nbb\nccc\n");
        for (String sizes : List.of("list:28,64", "uniform:28..2000", "lognormal:1000,0.8", "empirical:28=50%,2000=50%")) {
            MessageSource source = source(messages(sizes, Content.parse(content.equals("lines") ? "lines:" + file : content), false,
                Keys.parse("zipf:100,1"), "4:50%,5:50%", "a={b,c}"), 0, 1);
            int messages = 20_000;
            long allocated = Allocation.onceCompiled(messages / 2, () -> {
                for (int i = 0; i < messages; i++) {
                    source.next(i);
                    source.stamp(i, 1, 1);
                }
            });
            assertThat(allocated / (double) messages).as(sizes).isLessThan(0.5);
        }
    }
}
