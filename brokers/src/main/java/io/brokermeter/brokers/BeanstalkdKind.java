package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * beanstalkd of this machine. Persistent, it keeps a log in its directory, and the type of its journal is when that reaches the
 * disk: {@code interval} (50 ms), {@code always} or {@code no}. Its properties are the letters of its options.
 */
final class BeanstalkdKind implements BrokerKind {

    private static final Map<String, List<String>> JOURNALS =
        Map.of("interval", List.of(), "always", List.of("-f0"), "no", List.of("-F"));
    private static final Set<String> LETTERS = Set.of("f", "s", "z");
    private static final Pattern VERSION = Pattern.compile("beanstalkd (\\S+)");

    @Override
    public String name() {
        return "beanstalkd";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("BEANSTALKD");
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).tls().forbidden().training();
        if (options.login().isPresent()) {
            throw new IllegalArgumentException("Broker beanstalkd has no users; leave out --user and --password.");
        }
        options.journal().ifPresent(journal -> {
            if (!JOURNALS.containsKey(journal) || !options.persistent()) {
                throw new IllegalArgumentException("Broker beanstalkd has no journal type '" + journal + "'"
                    + (options.persistent() ? "; it has interval, always and no." : " when it is not persistent."));
            }
        });
        options.properties().forEach((name, value) -> {
            if (!LETTERS.contains(name) || !value.matches("\\d{1,10}")) {
                throw new IllegalArgumentException("Broker beanstalkd has no property " + name + "=" + value
                    + "; it has the options f (milliseconds), s and z (bytes) of its program, which are numbers.");
            }
        });
        find();
    }

    private static NativeProgram find() {
        return NativeProgram.find("beanstalkd", "beanstalkd", "beanstalkd");
    }

    @Override
    public void requireVersion(BrokerName name) throws BrokerException {
        find().version(name, VERSION, "-v");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram program = find();
        BrokerName name = program.version(asked, VERSION, "-v");
        int port = FreePort.orAsked(options.port());
        Path directory = options.place();
        NativeCommand command = new NativeCommand(program.path(), directory, options)
            .with("-l", "127.0.0.1", "-p", Integer.toString(port), "-z", "16777216");
        if (options.persistent()) {
            command.with("-b", directory.toString())
                .with(JOURNALS.getOrDefault(options.journal().orElse("interval"), List.of()).toArray(String[]::new));
        }
        options.properties().forEach((letter, value) -> command.with("-" + letter, value));
        NativeProcess process = command.unprivileged().withCause(Pattern.compile("beanstalkd: (.*)"))
            .start(name, "broker", port, WireProbe.answers(port, "list-tube-used\r\n", "USING default\r\n"));
        return new RunningBroker(name, "beanstalkd", Map.of("BEANSTALKD", "beanstalkd://127.0.0.1:" + port), List.of(process),
            process::close);
    }
}
