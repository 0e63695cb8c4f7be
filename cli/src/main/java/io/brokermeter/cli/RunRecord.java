package io.brokermeter.cli;

import java.util.List;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.experiment.Access;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.WorkloadWriter;
import org.jspecify.annotations.Nullable;

/**
 * A run of a command as the scenario file that makes it again.
 *
 * @param name of the run
 * @param scenario what was asked for; where a broker is started, with the URLs of one on this machine
 * @param throwaway the broker that is started for it, or null for none
 * @param passwords where those of the user stand
 */
record RunRecord(String name, Scenario scenario, Drivers drivers, @Nullable Throwaway throwaway, Passwords.Places passwords) {

    /**
     * The text of the file. It has no password.
     *
     * @param started which broker and version came to run, null as long as that is not known
     */
    String text(@Nullable BrokerName started) {
        Workload whole = Workload.of(scenario);
        Workload workload = new Workload(scenario, whole.producers().stream().map(passwords::ofProducers).toList(),
                whole.consumers().stream().map(passwords::ofConsumers).toList());
        Throwaway own = throwaway;
        if (own == null) {
            return WorkloadWriter.write(name, workload, null);
        }
        BrokerOptions options = own.options();
        BrokerChoice choice = new BrokerChoice(started == null ? own.name() : started, options.topology(), options.heap(),
                options.journal().orElse(null), options.persistent(), options.properties(), BrokerChoice.Fresh.TRIAL);
        return WorkloadWriter.write(name, new Workload(scenario, open(workload.producers()), open(workload.consumers())), choice);
    }

    /** Whoever uses the broker that is started finds its URL when it runs. */
    private List<Access> open(List<Access> all) {
        return all.stream().map(access -> access.protocol() == null || !drivers.localUrl(access.protocol()).equals(access.url())
                ? access : new Access(access.protocol(), null, access.user(), access.passwordFile(), access.passwordVariable(),
                access.clientId(), access.connectTimeout(), access.properties())).toList();
    }
}
