package io.brokermeter.driver.rocketmq.library;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.brokermeter.spi.parameter.BeanProperties;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.TransactionMQProducer;

/** The client's own properties: those for which its producers and consumers have setters. */
public final class ClientProperties {

    /** The properties that the driver sets itself, since they concern destinations, subscriptions and connections. */
    private static final Set<String> OWN = Set.of("namesrvAddr", "instanceName", "producerGroup", "consumerGroup",
        "messageModel", "consumeFromWhere", "consumeTimestamp", "namespaceV2", "clientIP", "language", "autoBatch",
        "awaitTerminationMillisWhenShutdown", "backPressureForAsyncSendNumInsideAdjust",
        "backPressureForAsyncSendSizeInsideAdjust", "consumeThreadMin", "consumeThreadMax", "pullThresholdForTopic",
        "enableTrace", "traceTopic", "traceMsgBatchNum", "transactionCheckListener", "subscription", "clientRebalance",
        "popBatchNums", "popInvisibleTime", "popThresholdForQueue");

    private ClientProperties() {}

    static {
        ClientLibrary.prepare();
    }

    /** Returns the names of the client's properties. */
    public static Set<String> names() {
        Set<String> names = new TreeSet<>(BeanProperties.of(TransactionMQProducer.class).keySet());
        names.addAll(BeanProperties.of(DefaultMQPushConsumer.class).keySet());
        names.removeAll(OWN);
        return names;
    }

    /**
     * Sets those of the properties that the producer or consumer has; the others are ignored.
     *
     * @throws IllegalArgumentException with one sentence that names the property with an invalid value
     */
    public static void apply(Map<String, String> properties, ClientConfig bean) {
        Map<String, Method> setters = BeanProperties.of(bean.getClass());
        properties.forEach((name, value) -> {
            Method setter = setters.get(name);
            if (setter != null) {
                set(bean, setter, name, value);
            }
        });
    }

    private static void set(ClientConfig bean, Method setter, String name, String value) {
        try {
            setter.invoke(bean, BeanProperties.parse(setter.getParameterTypes()[0], value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol ROCKETMQ must be " + e.getMessage() + ", not '"
                + value + "'.", e);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol ROCKETMQ cannot be '" + value + "': "
                + e.getCause() + ".", e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
