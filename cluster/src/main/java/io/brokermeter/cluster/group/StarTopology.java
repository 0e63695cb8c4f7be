package io.brokermeter.cluster.group;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Turns what would be a mesh into a star. Below this protocol an agent knows its coordinator alone, so a thousand agents have a thousand
 * connections and heartbeats, and agents need not reach each other. An agent that loses its coordinator does not take its place: it waits
 * for a call again.
 */
public final class StarTopology extends Protocol {

    private final boolean agent;
    private final Consumer<Address> lost;
    private volatile boolean ending;
    private volatile boolean silent;

    /** @param lost called, in an agent, with each member that is suspected */
    StarTopology(boolean agent, Consumer<Address> lost) {
        this.agent = agent;
        this.lost = lost;
    }

    /** Ignores all suspicions from now on, so that no member is removed from the group any more. */
    public void end() {
        ending = true;
    }

    /** Sends no more messages from now on, not even that this agent leaves: its coordinator is to find out the reason by itself. */
    public void fallSilent() {
        silent = true;
    }

    @Override
    public @Nullable Object down(Message message) {
        return silent ? null : down_prot.down(message);
    }

    @Override
    public Object down(Event event) {
        if (agent && (event.getType() == Event.VIEW_CHANGE || event.getType() == Event.TMP_VIEW)) {
            View all = event.getArg();
            Address coordinator = all.getCoord();
            if (all.size() > 2 && !coordinator.equals(local_addr)) {
                return down_prot.down(new Event(event.getType(), new View(all.getViewId(), List.of(coordinator, local_addr))));
            }
        }
        return down_prot.down(event);
    }

    @Override
    public @Nullable Object up(Event event) {
        if (event.getType() == Event.SUSPECT && (agent || ending)) {
            if (agent) {
                Collection<Address> suspects = event.getArg();
                suspects.forEach(lost);
            }
            return null;
        }
        return up_prot.up(event);
    }
}
