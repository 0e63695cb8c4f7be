package io.brokermeter.brokers.kind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerKind;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.RunningBroker;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.NativeProcess;
import io.brokermeter.brokers.process.NativeProgram;
import io.brokermeter.brokers.process.Probe;
import io.brokermeter.hosts.FreePort;

/** The kind of a broker that is a program of this machine, which runs on the loopback interface beside one that may run as a service. */
abstract class NativeKind extends BrokerKind {

    private final String program;
    private final Pattern version;
    private final String versionArgument;

    /**
     * Creates a kind.
     *
     * @param program name of the program, which is that of its Debian package, too
     * @param version pattern whose first group is the version in the output of the program with {@code versionArgument}
     */
    NativeKind(String name, String title, String program, String versionArgument, String version, String... protocols) {
        super(name, title, protocols);
        this.program = program;
        this.version = Pattern.compile(version);
        this.versionArgument = versionArgument;
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        find();
    }

    private NativeProgram find() {
        return NativeProgram.find(name(), program);
    }

    @Override
    public void requireVersion(BrokerName asked) throws BrokerException {
        versioned(asked, find());
    }

    /** Returns the name with the installed version. */
    BrokerName versioned(BrokerName asked, NativeProgram found) throws BrokerException {
        return found.version(asked, version, versionArgument);
    }

    @Override
    public final Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram found = find();
        BrokerName name = versioned(asked, found);
        if (!options.topology().equals(BrokerOptions.SINGLE)) {
            return startSeveral(name, found.path(), options);
        }
        Map<String, String> urls = new LinkedHashMap<>();
        NativeCommand command = new NativeCommand(found.path(), options.place(), options).unprivileged();
        int port;
        Probe ready;
        try {
            port = FreePort.orAsked(options.port());
            ready = prepare(command, name, port, urls);
        } catch (IOException e) {
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        }
        NativeProcess process = command.start(name, BrokerNode.BROKER, port, ready);
        return new RunningBroker(name, title(), urls, List.of(process), _ -> process.startAgain(), process::close);
    }

    /** Starts a topology of several processes. A kind that has such a topology overrides this method. */
    Broker startSeveral(BrokerName name, Path path, BrokerOptions options) throws BrokerException {
        throw new IllegalStateException(name + " has no topology " + options.topology());
    }

    /**
     * Prepares the start of the broker.
     *
     * @param command the command, which this method completes
     * @param urls the URLs by protocol, which this method adds
     * @return a probe that succeeds when the broker serves its clients
     */
    abstract Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) throws IOException, BrokerException;

    /** Returns a text in quotation marks, with a backslash before quotation marks and backslashes in it. */
    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /** Returns true, since the broker is a program of this system. */
    @Override
    public final boolean isFetched(BrokerName asked) {
        return true;
    }
}
