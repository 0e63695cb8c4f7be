package io.brokermeter.cluster;

import java.util.Map;

/**
 * A process of a cluster, from when it joined until it left. A process that comes back is another member.
 *
 * @param id unique among all members that ever were
 * @param name the name for users, not necessarily unique
 * @param address host and port: those at which the coordinator reached an agent, or those that a coordinator gives for itself
 * @param labels the labels that users gave it
 * @param version the version of the tool
 * @param processors the number of processors that its JVM may use
 */
public record Member(String id, String name, String address, Map<String, String> labels, String version, int processors, Role role) {

    public Member {
        labels = Map.copyOf(labels);
    }

    /** Creates the member that introduced itself by {@code hello}. */
    Member(String id, String address, Hello hello) {
        this(id, hello.name(), address, hello.labels(), hello.version(), hello.processors(), hello.role());
    }
}
