package io.brokermeter.trials;

import java.util.List;
import java.util.Set;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.experiment.Workload;
import io.brokermeter.network.Namespace;
import io.brokermeter.network.OwnNetwork;
import org.jspecify.annotations.Nullable;

/** Gets a user who is not root the rights to make links, where the runs of a command need nothing from outside. */
final class NetworkRights {

    private NetworkRights() {}

    /**
     * A run to come.
     *
     * @param broker started for it; null for none
     */
    record Wish(Workload workload, @Nullable BrokerName broker) {

        private boolean wantsLink() {
            return Distance.mayBeLink(workload)
                && workload.groups().stream().anyMatch(group -> !group.access().network().isNone());
        }

        /** A broker that has to be fetched first needs the network of the machine. */
        private boolean isSelfContained() {
            return broker != null && Broker.names().contains(broker.name()) && !workload.agents().areAny()
                && workload.groups().stream().allMatch(group -> group.access().url() == null) && Broker.isFetched(broker);
        }
    }

    /**
     * Begins the program anew in a network of its own, in which this is called again and does nothing. Returns where that is of no use, or not
     * possible; then {@link Distance} says what is missing, if it is.
     */
    static void gain(List<Wish> wishes) {
        if (wishes.stream().noneMatch(Wish::wantsLink) || !Namespace.isRightsAlone()) {
            return;
        }
        if (Set.copyOf(wishes).stream().allMatch(Wish::isSelfContained)) {
            Distance.lacksRights(OwnNetwork.enter());
        }
    }
}
