package io.brokermeter.driver.rocketmq.log;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import org.apache.rocketmq.logging.org.slf4j.ILoggerFactory;
import org.apache.rocketmq.logging.org.slf4j.Logger;
import org.apache.rocketmq.logging.org.slf4j.Marker;
import org.apache.rocketmq.logging.org.slf4j.helpers.LegacyAbstractLogger;
import org.apache.rocketmq.logging.org.slf4j.helpers.MessageFormatter;
import org.apache.rocketmq.logging.org.slf4j.helpers.NOP_FallbackServiceProvider;
import org.jspecify.annotations.Nullable;

/** Redirects RocketMQ's log to that of the JDK, level by level; RocketMQ's own would write files in the home directory. */
public final class LogProvider extends NOP_FallbackServiceProvider {

    @Override
    public ILoggerFactory getLoggerFactory() {
        return JdkLogger::new;
    }

    private static final class JdkLogger extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        private final transient java.util.logging.Logger target;

        JdkLogger(String name) {
            this.name = name;
            this.target = java.util.logging.Logger.getLogger(name);
        }

        @Override
        public boolean isTraceEnabled() {
            return target.isLoggable(Level.FINEST);
        }

        @Override
        public boolean isDebugEnabled() {
            return target.isLoggable(Level.FINE);
        }

        @Override
        public boolean isInfoEnabled() {
            return target.isLoggable(Level.INFO);
        }

        @Override
        public boolean isWarnEnabled() {
            return target.isLoggable(Level.WARNING);
        }

        @Override
        public boolean isErrorEnabled() {
            return target.isLoggable(Level.SEVERE);
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(org.apache.rocketmq.logging.org.slf4j.event.Level level,
                @Nullable Marker marker, String pattern, Object @Nullable [] arguments, @Nullable Throwable thrown) {
            LogRecord record = new LogRecord(switch (level) {
                case TRACE -> Level.FINEST;
                case DEBUG -> Level.FINE;
                case INFO -> Level.INFO;
                case WARN -> Level.WARNING;
                case ERROR -> Level.SEVERE;
            }, MessageFormatter.basicArrayFormat(pattern, arguments));
            record.setLoggerName(name);
            record.setThrown(thrown);
            target.log(record);
        }
    }
}
