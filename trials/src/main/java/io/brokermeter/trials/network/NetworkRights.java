package io.brokermeter.trials.network;

import java.util.List;
import java.util.Objects;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.experiment.Workload;
import io.brokermeter.network.Namespace;
import io.brokermeter.network.OwnNetwork;
import org.jspecify.annotations.Nullable;

/** Obtains the rights to create links for a user who is not root, when the runs of a command need nothing from outside. */
public final class NetworkRights {

    private NetworkRights() {}

    /**
     * A planned run.
     *
     * @param broker the broker that is started for the run; null for none
     */
    public record Wish(Workload workload, @Nullable BrokerName broker) {

        private boolean wantsLink() {
            return NetworkRequirements.mayBeLink(workload)
                && workload.groups().stream().anyMatch(group -> !group.access().network().isNone());
        }

        private boolean startsAll() {
            return broker != null && Broker.names().contains(broker.name())
                && (!workload.agents().areAny() || workload.agents().areStartedHere())
                && workload.groups().stream().allMatch(group -> group.access().url() == null);
        }
    }

    /**
     * Starts the program again in a network of its own, in which this method is called again and does nothing. Returns when that would be
     * useless or is impossible; in the latter case {@link Namespace#missing} says why.
     */
    public static void gain(List<Wish> wishes) {
        if (wishes.stream().anyMatch(Wish::wantsLink) && wishes.stream().allMatch(Wish::startsAll) && Namespace.isRightsAlone()
        // A broker that has to be fetched first needs the network of the machine.
            && wishes.stream().map(Wish::broker).filter(Objects::nonNull).distinct().allMatch(Broker::isFetched)) {
            OwnNetwork.enter();
        }
    }
}
