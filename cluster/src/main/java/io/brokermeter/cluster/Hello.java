package io.brokermeter.cluster;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The introduction that a process sends before anything else. The protocol and the version come first: they can be read from any version of
 * the tool.
 */
public record Hello(int protocol, String version, String name, Role role, int processors, Map<String, String> labels) {

    /** The version of the protocol between the processes of a cluster; each change of the protocol increments it. */
    static final int PROTOCOL = 2;
    private static final int MOST_LABELS = 1_000;

    static Hello of(ClusterSettings settings) {
        return new Hello(PROTOCOL, settings.version(), settings.name(), settings.role(), Runtime.getRuntime().availableProcessors(),
            settings.labels());
    }

    boolean fits(Hello other) {
        return protocol == other.protocol && version.equals(other.version);
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(protocol);
        out.writeUTF(version);
        out.writeUTF(name);
        out.writeByte(role.ordinal());
        out.writeInt(processors);
        out.writeInt(labels.size());
        for (Map.Entry<String, String> label : labels.entrySet()) {
            out.writeUTF(label.getKey());
            out.writeUTF(label.getValue());
        }
    }

    static Hello read(DataInput in) throws IOException {
        int protocol = in.readInt();
        String version = in.readUTF();
        String name = in.readUTF();
        if (protocol != PROTOCOL) {
            return new Hello(protocol, version, name, Role.AGENT, 0, Map.of());
        }
        Role role = in.readByte() == Role.COORDINATOR.ordinal() ? Role.COORDINATOR : Role.AGENT;
        int processors = in.readInt();
        int count = in.readInt();
        if (count < 0 || count > MOST_LABELS) {
            throw new IOException(count + " labels");
        }
        Map<String, String> labels = new HashMap<>();
        for (int i = 0; i < count; i++) {
            labels.put(in.readUTF(), in.readUTF());
        }
        return new Hello(protocol, version, name, role, processors, Map.copyOf(labels));
    }

    Member member(String id, String address) {
        return new Member(id, address, this);
    }

    /** Returns the version for people, with the protocol as well if the versions are the same. */
    String versionBeside(Hello other) {
        return version.equals(other.version) ? version + " (protocol " + protocol + ")" : version;
    }
}
