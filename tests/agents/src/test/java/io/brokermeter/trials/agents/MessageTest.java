package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.trials.network.NetworkEntry;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.LineCoordination;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {

    @TempDir
    Path directory;

    private static Message.Order order() {
        BitSet producers = new BitSet();
        producers.set(3, 7);
        WorkerOrder share = WorkerOrder.of(its -> {
            its.id = "id";
            its.scenario = "load: 1";
            its.files = Map.of("enclosed/1", "YQ==");
            its.suffix = "-x";
            its.endpoints = Map.of("producers p", new EndpointSpec("CORE", "tcp://h", "me", "s3cret", Map.of("a-password", "s3cret")));
            its.share = new Share(2, producers, new BitSet());
            its.number = Long.MIN_VALUE;
            its.zero = Long.MAX_VALUE;
            its.entry = new NetworkEntry("/proc/1/task/1/ns/net", List.of(61616));
            its.faulted = true;
        });
        return new Message.Order("r", "1", share,
            new ClockAccess("10.0.0.1", 1, "s3cret".getBytes(StandardCharsets.US_ASCII)), "s3cret");
    }

    @Test
    void everyMessageIsReadAsItWasWritten() {
        for (Message message : List.of(new Message.Who("n"), new Message.Tell("r", "stop 2"), new Message.Cancel("r"),
            new Message.FilesReceived("r"), new Message.Unneeded("r"),
            new Message.Hello("a", "1", Map.of("k", "v"), "m", 4, "b", "p"), new Message.Accepted("r"), new Message.Refused("r", "why"),
            new Message.Said("r", "{\"a\":\"\\n\"}"), new Message.Ended("r", null, List.of("x")), new Message.Piece("r", "f", 1, ""),
            new Message.AllSent("r", Map.of("f", 5L)), new Message.Clock("r", -1.5, Double.POSITIVE_INFINITY, null),
            new Message.Leaving("r"))) {
            assertThat(Message.read(message.text())).isEqualTo(message);
        }
        Message.Order read = (Message.Order) Message.read(order().text());
        assertThat(read.order()).isEqualTo(order().order());
    }

    @Test
    void whatIsSecretShowsItselfNowhereButInTheMessage() {
        assertThat(order().text()).contains("s3cret");
        assertThat(order() + " " + order().order() + " " + order().order().endpoints() + " " + order().clock()).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"", "{}", "[]", "{\"@type\":\"Runtime\"}", "{\"@type\":\"Tell\",\"run\":1,\"line\":\"\"}"})
    void anythingElseIsNone(String text) {
        assertThatThrownBy(() -> Message.read(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void newsPassThroughALine() {
        LineCoordination coordination = new LineCoordination(1, false, _ -> {});
        List<String> woken = new ArrayList<>();
        coordination.whenNews(() -> woken.add("x"));
        assertThat(coordination.hear("clock 1 2")).isFalse();
        assertThat(coordination.mayPass(RunCoordination.Step.CONNECTED)).isFalse();
        assertThat(coordination.isFaulted()).isFalse();
        assertThat(coordination.hear(new LineCoordination.News(RunCoordination.Step.READY, 1, 77, 0, Map.of(3, 4L), Map.of(5, 1),
            Map.of(6, 1, 7, 0), true, Set.of(), false).line())).isTrue();
        assertThat(woken).hasSize(1);
        assertThat(coordination.mayPass(RunCoordination.Step.READY)).isTrue();
        assertThat(coordination.mayPass(RunCoordination.Step.SENT)).isFalse();
        assertThat(coordination.mayDeclare()).isTrue();
        assertThat(coordination.isFaulted()).isTrue();
        assertThat(coordination.start(5)).isEqualTo(77);
        assertThat(coordination.missing(Map::of)).isEqualTo(Map.of(3, 4L));
        assertThat(coordination.takenOver()).containsExactly(5);
        assertThat(coordination.takenOverSubscriptions()).containsExactly(6);
    }

    @Test
    void whatWasDeclaredPassesThroughALine() {
        List<String> lines = new ArrayList<>();
        new LineCoordination(1, false, said -> lines.add(said.text())).declared(Set.of(0, 7), Set.of(7));
        assertThat(WorkerLine.read(lines.getFirst())).isEqualTo(new WorkerLine.Declared(Set.of(0, 7), Set.of(7)));
    }

    @Test
    void theMomentOfTheFirstConsumerPassesThroughALine() {
        List<String> lines = new ArrayList<>();
        new LineCoordination(1, false, said -> lines.add(said.text())).opened(Long.MAX_VALUE);
        assertThat(WorkerLine.read(lines.getFirst())).isEqualTo(new WorkerLine.Opened(Long.MAX_VALUE));
    }

    // ---- files ----

    @Test
    void filesArriveAsTheyAre() throws Exception {
        Path from = Files.createDirectory(directory.resolve("from"));
        byte[] large = new byte[FileTransfer.PIECE * 2 + 17];
        new Random(1).nextBytes(large);
        Files.write(from.resolve("large.bin"), large);
        Files.createFile(from.resolve("empty.log"));
        Files.createFile(from.resolve(".hidden"));
        Files.createDirectory(from.resolve("sub"));
        Files.createSymbolicLink(from.resolve("link"), Path.of("/etc/passwd"));
        FileTransfer.Inbox inbox = new FileTransfer.Inbox(directory.resolve("to"));
        List<Message.Piece> pieces = new ArrayList<>();
        Map<String, Long> sent = FileTransfer.send("r", from, message -> pieces.add((Message.Piece) message));
        for (Message.Piece piece : pieces) {
            inbox.take(piece);
        }
        inbox.requireAll(sent);
        assertThat(sent).containsOnlyKeys("large.bin", "empty.log");
        assertThat(directory.resolve("to/large.bin")).hasBinaryContent(large);
        assertThat(directory.resolve("to/empty.log")).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/b", "..", ".", "", "/etc/x", ".ssh", "a\\b", "x\n"})
    void aFileOutsideOfTheRunsDirectoryIsRefused(String name) {
        FileTransfer.Inbox inbox = new FileTransfer.Inbox(directory.resolve("to"));
        assertThatThrownBy(() -> inbox.take(new Message.Piece("r", name, 0, "AAAA"))).isInstanceOf(IOException.class);
        assertThat(directory.resolve("to")).doesNotExist();
    }

    @Test
    void piecesThatAreMissingOrTooManyAreRefused() throws Exception {
        FileTransfer.Inbox inbox = new FileTransfer.Inbox(directory.resolve("to"));
        inbox.take(new Message.Piece("r", "a", 0, "AAAA"));
        assertThatThrownBy(() -> inbox.take(new Message.Piece("r", "a", 4, "AAAA"))).isInstanceOf(IOException.class)
            .hasMessageContaining("missing");
        assertThatThrownBy(() -> inbox.take(new Message.Piece("r", "a", 3, "?"))).isInstanceOf(IOException.class);
        String tooLong = Base64.getEncoder().encodeToString(new byte[FileTransfer.PIECE + 1]);
        assertThatThrownBy(() -> inbox.take(new Message.Piece("r", "b", 0, tooLong))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> inbox.requireAll(Map.of("a", 9L))).isInstanceOf(IOException.class);
        for (int i = 1; i < FileTransfer.MOST_FILES; i++) {
            inbox.take(new Message.Piece("r", "f" + i, 0, "AAAA"));
        }
        assertThatThrownBy(() -> inbox.take(new Message.Piece("r", "more", 0, "AAAA"))).isInstanceOf(IOException.class);
        assertThatCode(() -> inbox.requireAll(Map.of("a", 3L))).doesNotThrowAnyException();
    }
}
