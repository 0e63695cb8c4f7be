package io.brokermeter.cluster;

import java.util.Map;

/**
 * A process of a cluster, from when it joined until it left. One that comes back is another member.
 *
 * @param id unique among all members that ever were
 * @param name what users call it; nothing makes it unique
 * @param address host and port as the coordinator reached it
 * @param labels what users say about it
 * @param version the version of the tool
 * @param processors how many its JVM may use
 */
public record Member(String id, String name, String address, Map<String, String> labels, String version, int processors, Role role) {

    public Member {
        labels = Map.copyOf(labels);
    }

    /** One that says of itself what is in {@code hello}. */
    Member(String id, String address, Hello hello) {
        this(id, hello.name(), address, hello.labels(), hello.version(), hello.processors(), hello.role());
    }
}
