package io.brokermeter.engine.envelope;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Payload;

/**
 * The data that the producers of a group share to make their messages: the contents of files, a parsed template, tables of
 * shares. Created when a run is planned, so that errors in it are found before anything connects. Immutable.
 *
 * <p>Memory is bounded: the shared data is as large as the files, which may take a quarter of the JVM's memory; in addition each
 * producer has one array as long as its longest body, and all of these arrays may take three quarters.
 */
public final class MessageStock {

    private final Messages messages;
    private final BodyLaw bodies;
    private final VariantLaw variants;

    private MessageStock(Messages messages, BodyLaw bodies, VariantLaw variants) {
        this.messages = messages;
        this.bodies = bodies;
        this.variants = variants;
    }

    /**
     * Prepares messages and reads the file that their bodies are made of.
     *
     * @param producers number of producers that will make messages
     * @throws UsageException with one sentence, if a file is missing, empty or cannot be read, a template is wrong, or the
     *     bodies do not fit into memory
     */
    public static MessageStock of(Messages messages, int producers) {
        BodyLaw bodies = BodyLaw.of(messages);
        requireRoom(bodies.ownBytes(), producers);
        return new MessageStock(messages, bodies, VariantLaw.of(messages));
    }

    /** Returns the number of bytes that each producer needs for its bodies, besides the data that all share. */
    public long bytes() {
        return bodies.ownBytes();
    }

    /** Returns the number of bytes of the longest body. */
    public int longest() {
        return bodies.longest();
    }

    private static void requireRoom(long bytes, long producers) {
        long most = Runtime.getRuntime().maxMemory() / 4 * 3;
        if (bytes * producers > most) {
            throw new UsageException("Bodies of up to " + bytes + " bytes for " + Counted.of(producers, "producer")
                + " do not fit into " + (most >> 20)
                + " MiB, three quarters of the memory there is; make them smaller, or give more with "
                + "JAVA_ARGS=-Xmx4g or so.");
        }
    }

    /**
     * Creates the source of one producer's messages.
     *
     * @param run number of the run, for the envelope
     * @param producer number of the producer in the run, for the envelope
     * @param stripe number of the producer among those of its group
     * @param stripes number of producers in the group
     * @param seed seed of everything that is random in the messages
     */
    public MessageSource source(long run, int producer, int stripe, int stripes, long seed) {
        SplittableRandom root = new SplittableRandom(seed ^ 0x6D657373616765L);
        BodyLaw.Place place = new BodyLaw.Place(producer, stripe, stripes, root.split());
        Payload payload = new Payload(bodies.array().get());
        if (bodies.knowledge() == MessageSource.Knowledge.KNOWN) {
            payload.pattern(Bodies.pattern(), Envelope.sizeInBody(messages));
        }
        byte[] envelope = payload.bytes();
        if (Envelope.isBeside(messages)) {
            envelope = new byte[Envelope.SIZE];
            payload.envelope(envelope);
        }
        if (!messages.bare()) {
            Envelope.prepare(envelope, run, producer, bodies.knowledge() == MessageSource.Knowledge.KNOWN);
        }
        return new MessageSource(payload, bodies.maker().apply(place), variants, root.split(), stripe,
            messages.bare() ? null : envelope, bodies.knowledge(), bodies.alike());
    }
}
