package io.brokermeter.cluster.group;

import java.util.List;
import java.util.function.Consumer;

import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;

/** Detects members from which nothing is received, and reports them before they are removed from the group. */
final class Heartbeats extends FD_ALL3 {

    /** A member that is lost is reported within 5 s, so this is not much longer, though a busy machine may hold up a process for as long. */
    private static final long SILENCE_MILLIS = 3_000;
    private static final long INTERVAL_MILLIS = 500;

    private final Consumer<Address> silent;

    Heartbeats(Consumer<Address> silent) {
        this.silent = silent;
        setId(ClassConfigurator.getProtocolId(FD_ALL3.class));
        setTimeout(SILENCE_MILLIS);
        setInterval(INTERVAL_MILLIS);
    }

    @Override
    protected void suspect(List<Address> suspects) {
        suspects.forEach(silent);
        super.suspect(suspects);
    }
}
