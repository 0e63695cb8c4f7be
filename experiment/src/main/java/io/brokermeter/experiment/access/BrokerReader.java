package io.brokermeter.experiment.access;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.Exclusion;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** Reads the broker to start from a scenario file, and writes it into one. */
public final class BrokerReader {

    private BrokerReader() {}

    /**
     * Returns the broker to start, or null for none; mistakes are added to the errors of the file.
     *
     * @param groups all groups of producers and consumers
     */
    public static @Nullable BrokerChoice read(SectionValues file, List<SectionValues> groups) {
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
            BrokerChoice choice = new BrokerChoice(name, options(broker),
                broker.text("fresh", "trial").equals("sweep") ? BrokerChoice.Fresh.SWEEP : BrokerChoice.Fresh.TRIAL,
                broker.read("warmup", Duration.ZERO, ValueSyntax::time));
            Broker.check(name, choice.options());
            served(choice, file, groups);
            return choice;
        } catch (IllegalArgumentException | UsageException e) {
            broker.wrong(file.complaints().named(e));
            return null;
        }
    }

    private static BrokerOptions options(SectionValues broker) {
        BrokerOptions plain = BrokerOptions.defaults();
        BrokerOptions options = plain.withTopology(broker.text("topology", plain.topology()))
            .withHeap(broker.read("heap", plain.heap(), BrokerReader::heap))
            .withPersistent(broker.read("persistence", plain.persistent(), ValueSyntax::flag));
        String journal = broker.text("journal");
        InetAddress address = address(broker.text("address"));
        options = journal == null ? options : options.withJournal(journal);
        options = address == null ? options : options.withAddress(address);
        for (Map.Entry<String, String> property : broker.texts("properties").entrySet()) {
            options = options.withProperty(property.getKey(), property.getValue());
        }
        return options;
    }

    /** Returns the section of a scenario file from which this choice is read, apart from its address. */
    static Tree.Fields written(BrokerChoice choice) {
        BrokerOptions options = choice.options();
        Tree.Fields all = RunFile.put(Tree.Fields.none(RunFile.NOWHERE), "name", choice.name().name());
        all = choice.name().version().isEmpty() ? all : RunFile.put(all, "version", choice.name().version().get());
        all = RunFile.put(RunFile.put(all, "topology", options.topology()), "heap", options.heap());
        all = options.journal().isEmpty() ? all : RunFile.put(all, "journal", options.journal().get());
        all = RunFile.put(all, "persistence", Boolean.toString(options.persistent()));
        all = RunFile.put(all, "fresh", choice.fresh().name().toLowerCase(Locale.ROOT));
        all = choice.warmup().isZero() ? all : RunFile.put(all, "warmup", choice.warmup().toMillis() + "ms");
        Tree.Fields properties = Tree.Fields.none(RunFile.NOWHERE);
        for (Map.Entry<String, String> property : options.properties().entrySet()) {
            properties = RunFile.put(properties, property.getKey(), property.getValue());
        }
        return properties.fields().isEmpty() ? all : all.with("properties", properties, RunFile.NOWHERE);
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
