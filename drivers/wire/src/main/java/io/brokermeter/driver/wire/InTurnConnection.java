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
 * A connection of a text protocol whose broker answers commands in their order, and says nothing else. So a quiet one is given a
 * harmless command now and then, and a broker that answers nothing for 20 s is lost. At its regular end our side ends, upon which
 * the broker answers what it has, and ends its own.
 */
public abstract class InTurnConnection extends WireConnection {

    private static final long BEAT = TimeUnit.SECONDS.toNanos(5);

    /** Takes the answer to a command. Reader. */
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
     * As {@link WireConnection}.
     *
     * @param harmless a command that changes nothing
     */
    protected InTurnConnection(
            String protocol, Wire wire, LineBuffer in, ConnectionListener listener, Duration timeout, AtomicBoolean mute,
            String harmless) {
        super(protocol, wire, in, listener, timeout, mute);
        this.in = in;
        this.harmless = ascii(harmless + "\r\n");
    }

    /** The bytes of a text of ASCII. */
    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Begins to read. */
    public final void begin() {
        start(BEAT, BEAT);
    }

    /** A command was appended, or will be before the lock is released. Under the lock. */
    public final void expect(Command command) {
        commands.add(command);
    }

    /** Appends a command. */
    public final void append(byte[] text, Command command) {
        locked(() -> {
            expect(command);
            out.append(text, text.length);
        });
    }

    /** Appends a command. */
    public final void append(String text, Command command) {
        append(ascii(text + "\r\n"), command);
    }

    /** Whether every command is answered. */
    protected final boolean isAnswered() {
        return commands.isEmpty();
    }

    /**
     * Gives a command, and waits for the answer as long as the connect timeout.
     *
     * @param command without the end of its line
     * @param late what to say when no answer comes in time
     * @return the answer with its body
     * @throws IOException when the connection is gone, or the time is over
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

    /** It is once the broker has ended its side, which ends the wait as well. */
    @Override
    protected boolean isReleased() {
        return false;
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return List.of();
    }
}
