package io.brokermeter.experiment;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Nearest;
import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/** Reads the broker to start from a scenario file. */
final class BrokerReader {

    private BrokerReader() {}

    /**
     * Returns the broker to start, or null for none; mistakes are added to the errors of the file.
     *
     * @param groups all groups of producers and consumers
     */
    static @Nullable BrokerChoice read(SectionValues file, List<SectionValues> groups) {
        SectionValues broker = file.below("broker");
        if (broker == null) {
            return null;
        }
        String text = broker.text("name");
        if (text == null) {
            broker.wrong("it needs a 'name': " + String.join(", ", Broker.names()) + ".");
            return null;
        }
        try {
            BrokerName name = BrokerName.parse(text);
            String version = broker.text("version");
            if (!Broker.names().contains(name.name())) {
                String near = Nearest.to(name.name(), Broker.names());
                broker.wrong("name", "'" + name.name() + "' is not a broker that can be started here"
                    + (near == null ? "" : "; did you mean '" + near + "'?") + (near == null ? "; there are " : " There are ")
                    + String.join(", ", Broker.names()) + ".");
                return null;
            }
            if (version != null) {
                if (name.version().isPresent()) {
                    broker.wrong("version", "the name says a version already, " + name + "; leave one out.");
                }
                name = new BrokerName(name.name(), Optional.of(version));
            }
            BrokerChoice choice = BrokerChoice.of(name, its -> {
                its.topology = broker.text("topology", its.topology);
                its.heap = broker.read("heap", its.heap, BrokerReader::heap);
                its.journal = broker.text("journal");
                its.persistence = broker.read("persistence", its.persistence, ValueSyntax::flag);
                its.properties = broker.texts("properties");
                its.address = address(broker.text("address"));
                its.fresh = broker.text("fresh", "trial").equals("sweep") ? BrokerChoice.Fresh.SWEEP : BrokerChoice.Fresh.TRIAL;
            });
            Broker.check(name, choice.options());
            served(choice, file, groups);
            return choice;
        } catch (IllegalArgumentException | UsageException e) {
            broker.wrong(file.complaints().named(e));
            return null;
        }
    }

    private static @Nullable InetAddress address(@Nullable String text) {
        try {
            return text == null ? null : InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("%s '%s' must be an address in numbers, as 192.0.2.7.", Setting.BROKER_ADDRESS, text);
        }
    }

    private static String heap(String text) {
        try {
            if (!ValueSyntax.isHeap(text)) {
                throw new UsageException("it '" + text + "' must look like 512m or 2g.");
            }
            BrokerOptions.requireHeap(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new UsageException("it " + e.getMessage());
        }
    }

    /** Checks that a group uses the broker to be started, and that the broker serves the protocols of the groups that do. */
    private static void served(BrokerChoice choice, SectionValues file, List<SectionValues> groups) {
        Set<String> protocols = Broker.protocols(choice.name());
        List<SectionValues> all = new ArrayList<>(List.of(file));
        all.addAll(groups);
        boolean used = all.size() == 1;
        for (SectionValues one : all.subList(1, all.size())) {
            used |= one.text("url") == null && file.text("url") == null;
        }
        if (!used || file.text("url") != null) {
            file.wrong("url", Exclusion.inFile("broker.name", "url"));
        }
        for (SectionValues one : all) {
            String protocol = one.text("protocol");
            if (protocol != null && one.text("url") == null && !protocols.contains(protocol.toUpperCase(Locale.ROOT))
                && !protocol.equalsIgnoreCase("JMS")) {
                one.wrong("protocol", "broker " + choice.name().name() + " does not speak " + protocol + ", but "
                    + String.join(", ", protocols) + ".");
            }
        }
    }
}
