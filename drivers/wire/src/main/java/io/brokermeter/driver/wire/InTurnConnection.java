package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.ConnectionListener;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a text protocol whose broker answers commands in their order and sends nothing else. An idle connection sends a harmless
 * command every few seconds, and a broker that sends nothing for 20 s is reported as lost. A regular close ends this side's output; the
 * broker then sends its outstanding answers and ends its own side.
 */
public abstract class InTurnConnection extends WireConnection {

    private static final long BEAT = TimeUnit.SECONDS.toNanos(5);

    /** Receives the answer to a command. Called by the reader thread. */
    public interface Command {

        void answered(LineBuffer in) throws IOException;
    }

    private static final class Request implements Command {

        private volatile @Nullable String text;

        @Override
        public void answered(LineBuffer in) {
            text = in.text();
        }
    }

    private final InTurn<Command> commands = new InTurn<>();
    private final LineBuffer in;
    private final byte[] harmless;

    /**
     * Creates a connection; the other parameters are those of {@link WireConnection}.
     *
     * @param harmless a command that changes nothing, sent to keep the connection alive
     */
    protected InTurnConnection(
            String protocol, Wire wire, LineBuffer in, ConnectionListener listener, Duration timeout, AtomicBoolean mute,
            String harmless) {
        super(protocol, wire, in, listener, timeout, mute);
        this.in = in;
        this.harmless = ascii(harmless + "\r\n");
    }

    /** Encodes a text in ASCII. */
    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Starts to read. */
    public final void begin() {
        start(BEAT, BEAT);
    }

    /** Registers the receiver of the next answer. Call under the lock, which is held until the command is appended. */
    public final void expect(Command command) {
        commands.add(command);
    }

    /** Appends a command that is complete with its line end. */
    public final void append(byte[] text, Command command) {
        locked(() -> {
            expect(command);
            out.append(text, text.length);
        });
    }

    /** Appends a command and its line end. */
    public final void append(String text, Command command) {
        append(ascii(text + "\r\n"), command);
    }

    /** Returns whether every command has been answered. */
    protected final boolean isAnswered() {
        return commands.isEmpty();
    }

    /**
     * Sends a command and waits for the answer, at most for the connect timeout.
     *
     * @param command the command without its line end
     * @param late the error message if no answer arrives in time
     * @return the answer with its body
     * @throws IOException if the connection is gone, or no answer arrives in time
     */
    protected final String ask(String command, String late) throws IOException, InterruptedException {
        Request request = new Request();
        check();
        append(command, request);
        await(() -> request.text != null, requestLimitNanos(), late);
        return String.valueOf(request.text);
    }

    @Override
    protected void frame() throws IOException {
        commands.next().answered(in);
    }

    @Override
    protected void endOfBatch() {
        signal();
    }

    @Override
    protected long longestSilence() {
        return 4 * BEAT;
    }

    @Override
    protected String silence() {
        return ", not even an answer to a question";
    }

    @Override
    protected boolean beatDue(long unwritten, long unread) {
        return unwritten > BEAT && unread > BEAT;
    }

    @Override
    protected void beat() {
        append(harmless, answer -> {});
    }

    @Override
    protected void goodbye() {}

    @Override
    protected void saidGoodbye(Wire written) {
        written.end();
    }

    /** Returns false: the connection ends when the broker ends its side, which ends the wait as well. */
    @Override
    protected boolean isReleased() {
        return false;
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return List.of();
    }
}
