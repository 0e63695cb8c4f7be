package io.brokermeter.cluster.group;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jgroups.Global;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.logging.NoopLogImpl;

/**
 * The setup that is required before any class of JGroups is used: JGroups prints nothing, its last warnings and errors are kept for
 * diagnosis, and no object is ever created by Java serialization.
 */
public final class JGroupsSetup extends NoopLogImpl {

    private static final int KEPT = 50;
    private static final Deque<String> RECENT = new ArrayDeque<>();
    private static final JGroupsSetup LOG = new JGroupsSetup();

    static {
        System.setProperty(Global.DESERIALIZATION_FILTER, "!*");
        LogFactory.setCustomLogFactory(new CustomLogFactory() {
            @Override
            public Log getLog(Class<?> type) {
                return LOG;
            }

            @Override
            public Log getLog(String category) {
                return LOG;
            }
        });
    }

    private JGroupsSetup() {}

    /** Makes sure that this class is initialized, and with it JGroups set up. */
    public static void initialize() {}

    /** Returns the last warnings and errors of JGroups, from all clusters of this process. */
    public static List<String> recentLog() {
        synchronized (RECENT) {
            return List.copyOf(RECENT);
        }
    }

    public static void log(String text) {
        synchronized (RECENT) {
            if (RECENT.size() == KEPT) {
                RECENT.removeFirst();
            }
            RECENT.addLast(text);
        }
    }

    private static void log(String format, Object... args) {
        String text;
        try {
            text = String.format(format, args);
        } catch (RuntimeException e) {
            text = format;
        }
        log(text);
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    public void fatal(String msg) {
        log(msg);
    }

    @Override
    public void fatal(String msg, Object... args) {
        log(msg, args);
    }

    @Override
    public void fatal(String msg, Throwable throwable) {
        log(msg + ": " + throwable);
    }

    @Override
    public void error(String msg) {
        log(msg);
    }

    @Override
    public void error(String format, Object... args) {
        log(format, args);
    }

    @Override
    public void error(String msg, Throwable throwable) {
        log(msg + ": " + throwable);
    }

    @Override
    public void warn(String msg) {
        log(msg);
    }

    @Override
    public void warn(String msg, Object... args) {
        log(msg, args);
    }

    @Override
    public void warn(String msg, Throwable throwable) {
        log(msg + ": " + throwable);
    }
}
