package io.brokermeter.cluster.group;

import java.io.DataInput;
import java.io.IOException;

import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;

/**
 * A message whose payload is an object of JGroups' own protocols: a record of the messages that were seen, or of those that are missing.
 * They exchange no other objects here.
 */
final class ProtocolObject extends ObjectMessage {

    private static final short MISSING = ClassConfigurator.getMagicNumber(SeqnoList.class);
    private static final short SEEN = ClassConfigurator.getMagicNumber(Digest.class);
    private static final short SEEN_SO_FAR = ClassConfigurator.getMagicNumber(MutableDigest.class);

    /** @throws IllegalStateException if the payload is any other object; no class is looked up by a name that a peer sent */
    @Override
    public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
        if (in.readByte() == 0) {
            return;
        }
        short kind = in.readShort();
        if (isWrapped() || kind != MISSING && kind != SEEN && kind != SEEN_SO_FAR) {
            throw new IllegalStateException("an object of kind " + kind);
        }
        SizeStreamable content = ClassConfigurator.create(kind);
        content.readFrom(in);
        setObject(content);
    }
}
