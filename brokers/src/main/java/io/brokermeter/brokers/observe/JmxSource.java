package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.brokermeter.proc.ProcText;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The heap of a JVM over JMX, either of a process on this machine, in whose JVM an agent is started, or of a service that listens anywhere,
 * which reports CPU time, threads and open files as well.
 */
final class JmxSource extends FigureSource {

    private static final String ATTACH_TIMEOUT = "sun.tools.attach.attachTimeout";

    private static final long TRY_AGAIN = 5_000_000_000L;
    private static final int LOOKS = 100;
    private static final long LOOK_NANOS = 10_000_000;

    private final @Nullable ObservedProcess process;
    private final @Nullable JmxAddress address;
    private final Function<Setting, String> names;
    private final Readings heap;
    private final @Nullable Readings usage;
    private final Consumer<String> notice;
    private final String subject;
    private volatile @Nullable LoopbackAgent agent;
    private @Nullable JMXConnector connector;
    private @Nullable MBeanServerConnection beans;
    private List<ObjectName> collectors = List.of();
    private volatile boolean answered;
    private boolean told;
    private long triedAt;
    private boolean tried;

    private JmxSource(String name, @Nullable ObservedProcess process, @Nullable JmxAddress address,
            Function<Setting, String> names, LongUnaryOperator next, @Nullable Readings usage, Readings heap, String subject,
            Consumer<String> notice) {
        super(name, next);
        this.process = process;
        this.address = address;
        this.names = names;
        this.heap = heap;
        this.usage = usage;
        this.subject = subject;
        this.notice = notice;
    }

    /** Creates a source for a process of this machine, which need not be a JVM. */
    static JmxSource of(ObservedProcess process, Function<Setting, String> names, LongUnaryOperator next, Readings heap,
            Consumer<String> notice) {
        return new JmxSource("broker-jmx-" + process.pid(), process, null, names, next, null, heap, subject(process),
            notice);
    }

    static String subject(ObservedProcess process) {
        return "Heap and garbage collection of " + process.name() + " (pid " + process.pid() + ")";
    }

    /** Creates a source for a JMX service. */
    static JmxSource of(JmxAddress address, Function<Setting, String> names, LongUnaryOperator next, Readings usage, Readings heap,
            Consumer<String> notice) {
        return new JmxSource("broker-jmx", null, address, names, next, usage, heap, "Heap and garbage collection of the broker",
            notice);
    }

    /** Returns whether the JVM has ever answered. */
    boolean answered() {
        return answered;
    }

    @Override
    public boolean read() throws Hopeless {
        try {
            MBeanServerConnection server = beans;
            if (server == null) {
                if (tried && System.nanoTime() - triedAt < TRY_AGAIN) {
                    return false;
                }
                tried = true;
                triedAt = System.nanoTime();
                server = connect();
            }
            ask(server);
            answered = true;
            return true;
        } catch (IOException | JMException | RuntimeException e) {
            disconnect();
            if (process != null && (answered || ObservedProcess.of(process.pid()) == null)) {
                // The process is gone or ending; the source that watches it reports that.
                throw new Hopeless();
            }
            tell((answered ? "are not known any more" : "are not known") + ", because "
                + (address == null ? "its JVM does not answer" : "JMX at " + address + " fails") + ": " + reason(e));
            return false;
        }
    }

    private void ask(MBeanServerConnection server) throws IOException, JMException {
        long now = System.nanoTime();
        CompositeData memory = (CompositeData) server.getAttribute(new ObjectName(ManagementFactory.MEMORY_MXBEAN_NAME),
            "HeapMemoryUsage");
        long count = 0;
        long millis = 0;
        for (ObjectName collector : collectors) {
            for (Attribute a : server.getAttributes(collector, new String[] {"CollectionCount", "CollectionTime"}).asList()) {
                long value = Math.max(0, ((Number) a.getValue()).longValue());
                if (a.getName().equals("CollectionCount")) {
                    count += value;
                } else {
                    millis += value;
                }
            }
        }
        Reading reading = new Reading(now).set(ProcessFigure.HEAP_USED_BYTES, (long) memory.get("used"))
            .set(ProcessFigure.HEAP_COMMITTED_BYTES, (long) memory.get("committed"))
            .set(ProcessFigure.HEAP_MAX_BYTES, (long) memory.get("max"))
            .set(ProcessFigure.GC_COUNT, count).set(ProcessFigure.GC_MILLIS, millis);
        if (usage != null) {
            readUsage(server, reading);
            usage.add(reading);
        }
        heap.add(reading);
    }

    private static void readUsage(MBeanServerConnection server, Reading reading) throws IOException, JMException {
        for (Attribute a : server.getAttributes(new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
            new String[] {"ProcessCpuTime", "OpenFileDescriptorCount"}).asList()) {
            if (a.getValue() instanceof Number n) {
                boolean cpu = a.getName().equals("ProcessCpuTime");
                reading.set(cpu ? ProcessFigure.CPU_SECONDS : ProcessFigure.OPEN_FILES, cpu ? n.longValue() / 1e9 : n.longValue());
            }
        }
        if (server.getAttribute(new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME), "ThreadCount") instanceof Integer count) {
            reading.set(ProcessFigure.THREADS, count);
        }
    }

    @SuppressWarnings("BanJNDI") // the user or the operating system names the service
    private MBeanServerConnection connect() throws IOException, JMException, Hopeless {
        Map<String, Object> environment = new HashMap<>();
        // No thread that checks the connection: the service is asked every second anyway.
        environment.put("jmx.remote.x.client.connection.check.period", 0L);
        JMXServiceURL url;
        if (address != null) {
            url = address.url();
            if (address.user() != null) {
                environment.put(JMXConnector.CREDENTIALS, new String[] {address.user(),
                    address.password() == null ? "" : address.password().reveal()});
            }
        } else {
            url = attach();
            LoopbackAgent guarded = agent;
            if (guarded != null) {
                environment.put(JMXConnector.CREDENTIALS, new String[] {LoopbackAgent.USER, guarded.password()});
            }
        }
        JMXConnector opened = JMXConnectorFactory.connect(url, environment);
        connector = opened;
        MBeanServerConnection server = opened.getMBeanServerConnection();
        List<ObjectName> names = new ArrayList<>();
        for (ObjectName name : server.queryNames(
            new ObjectName(ManagementFactory.GARBAGE_COLLECTOR_MXBEAN_DOMAIN_TYPE + ",*"), null)) {
            // Concurrent collectors have one bean for their pauses and one for their cycles.
            if (!name.getKeyProperty("name").endsWith(" Cycles")) {
                names.add(name);
            }
        }
        collectors = names;
        beans = server;
        return server;
    }

    /**
     * Starts a management agent in the JVM and returns its URL. The process is checked first, since the request to attach would end a
     * process that does not expect it.
     */
    private JMXServiceURL attach() throws IOException, Hopeless {
        if (process == null) {
            throw new Hopeless();
        }
        Boolean jvm = process.hasMapped("libjvm.so");
        if (jvm == null && process.name().equals("java")) {
            tellToName("the process belongs to another user");
        }
        if (jvm == null || !jvm) {
            throw new Hopeless();
        }
        if (!ProcText.catchesQuit(process.status()) || process.commandLine().contains("+DisableAttachMechanism")) {
            tellToName("this JVM does not permit attaching");
            throw new Hopeless();
        }
        try {
            // The JDK's own limit of 10 s is too short for a broker on a busy machine.
            if (System.getProperty(ATTACH_TIMEOUT) == null) {
                System.setProperty(ATTACH_TIMEOUT, "60000");
            }
            VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
            try {
                LoopbackAgent begun = agent == null ? LoopbackAgent.start(machine) : agent;
                agent = begun;
                return begun.url();
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | IOException | LinkageError e) {
            if (ObservedProcess.of(process.pid()) != null) {
                tellToName("this JVM cannot be attached to: " + reason(e));
            }
            throw new Hopeless();
        }
    }

    private void tellToName(String reason) {
        tell("are not known, because " + reason + "; name its JMX service with " + names.apply(Setting.BROKER_JMX));
    }

    private void tell(String predicate) {
        if (!told && !isClosed()) {
            told = true;
            notice.accept(subject + " " + predicate);
        }
    }

    private static String reason(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return message.lines().findFirst().orElse("").replaceAll("\\.$", "");
    }

    private void disconnect() {
        JMXConnector open = connector;
        connector = null;
        beans = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // the other end is gone
            }
        }
    }

    @Override
    public void closing() {
        LoopbackAgent begun = agent;
        if (begun != null) {
            begun.forget();
        }
    }

    @Override
    public void release() {
        LoopbackAgent begun = agent;
        closing();
        disconnect();
        if (begun != null && process != null) {
            deleteSocket(process.pid());
        }
    }

    /** Deletes the attach socket of a JVM that was killed; a JVM that ends otherwise deletes it itself. */
    private void deleteSocket(long pid) {
        // the connection breaks a moment before the process is gone
        for (int look = 0; look < LOOKS && !isClosed() && ObservedProcess.of(pid) != null; look++) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        if (ObservedProcess.of(pid) == null) {
            try {
                Files.deleteIfExists(Path.of("/tmp", ".java_pid" + pid));
            } catch (IOException e) {
                // the file is empty, and a JVM with this id creates a new one
            }
        }
    }
}
