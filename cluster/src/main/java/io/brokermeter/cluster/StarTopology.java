package io.brokermeter.cluster;

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
 * Makes a star of what would be a mesh. Below it an agent knows its coordinator alone, so a thousand agents have a thousand connections and
 * heartbeats, and agents need not reach each other. And an agent that loses its coordinator takes nobody's place: it goes back to waiting.
 */
final class StarTopology extends Protocol {

    private final boolean agent;
    private final Consumer<Address> lost;
    private volatile boolean ending;
    private volatile boolean silent;

    /** @param lost called, in an agent, with a member that is suspected */
    StarTopology(boolean agent, Consumer<Address> lost) {
        this.agent = agent;
        this.lost = lost;
    }

    /** From here on nobody is taken out any more. */
    void end() {
        ending = true;
    }

    /** From here on an agent says nothing more, not even that it leaves: its coordinator is to find out why. */
    void fallSilent() {
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
