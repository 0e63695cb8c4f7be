package io.brokermeter.brokers.kind;

import java.util.Map;
import java.util.Set;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.Probe;

/**
 * The broker kind beanstalkd, a program of this machine. A persistent broker keeps a log in its directory, and the journal type determines
 * when the log is forced to the disk: {@code interval} (50 ms), {@code always} or {@code no}. The properties are the letters of its
 * options.
 */
public final class BeanstalkdKind extends NativeKind {

    private static final Set<String> LETTERS = Set.of("f", "s", "z");

    public BeanstalkdKind() {
        super("beanstalkd", "beanstalkd", "beanstalkd", "-v", "beanstalkd (\\S+)", "BEANSTALKD");
        journals("interval", "always", "no");
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        options.properties().forEach((name, value) -> require(LETTERS.contains(name) && value.matches("\\d{1,10}"),
            "no property " + name + "=" + value + "; it has the options f (milliseconds), s and z (bytes) of its program,"
                + " which are numbers"));
    }

    @Override
    public Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) {
        BrokerOptions options = command.options();
        command.with("-l", "127.0.0.1", "-p", Integer.toString(port), "-z", "16777216");
        if (options.persistent()) {
            command.with("-b", command.directory().toString());
            switch (options.journal().orElse("interval")) {
                case "always" -> command.with("-f0");
                case "no" -> command.with("-F");
                default -> {}
            }
        }
        options.properties().forEach((letter, value) -> command.with("-" + letter, value));
        command.withCause("beanstalkd: (.*)");
        urls.put("BEANSTALKD", "beanstalkd://127.0.0.1:" + port);
        return Probe.answers(port, "list-tube-used\r\n", "USING default\r\n");
    }
}
