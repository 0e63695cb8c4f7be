package io.brokermeter.driver.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.api.jms.management.JMSManagementHelper;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the broker's management address, which needs a permission of its own. Each request blocks for at most a second.
 */
final class Management {

    private static final String ADDRESS = "activemq.management";
    private static final long LIMIT_MILLIS = 1000;

    private Management() {}

    /** Returns the broker's version; empty if it is not available, for example because the user lacks the permission. */
    static String version(Connection connection) {
        try {
            var version = request(connection,
                question -> JMSManagementHelper.putAttribute(question, ResourceNames.BROKER, "version"));
            return version == null ? "" : version.toString();
        } catch (Exception e) {
            return "";
        }
    }

    /** Deletes an address that has no queues; if the broker refuses, the address remains. */
    static void deleteAddress(Connection connection, String name) {
        try {
            request(connection,
                question -> JMSManagementHelper.putOperationInvocation(question, ResourceNames.BROKER, "deleteAddress", name));
        } catch (Exception e) {
            // An empty address does no harm.
        }
    }

    private interface Question {

        void put(Message message) throws JMSException;
    }

    private static @Nullable Object request(Connection connection, Question question) throws Exception {
        try (var session = connection.createSession(Session.AUTO_ACKNOWLEDGE)) {
            var answer = new CompletableFuture<Message>();
            var replyTo = session.createTemporaryQueue();
            try (var consumer = session.createConsumer(replyTo);
                    var producer = session.createProducer(ActiveMQDestination.createQueue(ADDRESS))) {
                consumer.setMessageListener(answer::complete);
                var message = session.createMessage();
                message.setJMSReplyTo(replyTo);
                question.put(message);
                producer.send(message, new Refusal(answer));
                return JMSManagementHelper.getResult(answer.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS));
            } finally {
                replyTo.delete();
            }
        }
    }

    /** Ends the wait at once if the broker refuses the request message itself. */
    private record Refusal(CompletableFuture<Message> answer) implements CompletionListener {

        @Override
        public void onCompletion(Message message) {}

        @Override
        public void onException(Message message, Exception exception) {
            answer.completeExceptionally(exception);
        }
    }
}
