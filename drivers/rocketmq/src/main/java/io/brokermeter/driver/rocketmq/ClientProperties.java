package io.brokermeter.driver.rocketmq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.jspecify.annotations.Nullable;

/** The client's own properties, which are those that its producers and consumers have setters for. */
final class ClientProperties {

    /** What the driver decides, since it is a matter of destinations, subscriptions and connections. */
    private static final Set<String> OWN = Set.of("namesrvAddr", "instanceName", "producerGroup", "consumerGroup",
        "messageModel", "consumeFromWhere", "consumeTimestamp", "namespaceV2", "clientIP", "language", "autoBatch",
        "awaitTerminationMillisWhenShutdown", "backPressureForAsyncSendNumInsideAdjust",
        "backPressureForAsyncSendSizeInsideAdjust", "consumeThreadMin", "consumeThreadMax", "pullThresholdForTopic",
        "enableTrace", "traceTopic", "traceMsgBatchNum", "transactionCheckListener", "subscription", "clientRebalance",
        "popBatchNums", "popInvisibleTime", "popThresholdForQueue");

    private ClientProperties() { }

    static {
        ClientLibrary.prepare();
    }

    /** Their names. */
    static Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (Class<?> type : Set.of(TransactionMQProducer.class, DefaultMQPushConsumer.class)) {
            for (Method method : type.getMethods()) {
                String name = property(method);
                if (name != null) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    private static @Nullable String property(Method method) {
        String name = method.getName();
        if (name.length() < 4 || !name.startsWith("set") || method.getParameterCount() != 1
            || !isSimple(method.getParameterTypes()[0])) {
            return null;
        }
        String property = name.substring(3, 4).toLowerCase(Locale.ROOT) + name.substring(4);
        return OWN.contains(property) ? null : property;
    }

    private static boolean isSimple(Class<?> type) {
        return type.isPrimitive() || type == String.class || type.isEnum();
    }

    /**
     * Sets each property that the producer or consumer has; the other side's are left alone.
     *
     * @throws IllegalArgumentException with one sentence that names the property whose value is wrong
     */
    static void apply(Map<String, String> properties, ClientConfig bean) {
        for (Map.Entry<String, String> property : properties.entrySet()) {
            for (Method method : bean.getClass().getMethods()) {
                if (property.getKey().equals(property(method))) {
                    set(bean, method, property.getKey(), property.getValue());
                }
            }
        }
    }

    private static void set(ClientConfig bean, Method method, String name, String value) {
        Class<?> type = method.getParameterTypes()[0];
        try {
            method.invoke(bean, parsed(type, value));
        } catch (IllegalArgumentException e) {
            String form = type == boolean.class ? "true or false" : type.isEnum() ? "one of "
                + String.join(", ", java.util.Arrays.stream(type.getEnumConstants()).map(Object::toString).toList())
                : "a number";
            throw new IllegalArgumentException("Parameter " + name + " of protocol ROCKETMQ must be " + form + ", not '"
                + value + "'.", e);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol ROCKETMQ cannot be '" + value + "': "
                + e.getCause() + ".", e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object parsed(Class<?> type, String value) {
        if (type == boolean.class) {
            if (!value.equals("true") && !value.equals("false")) {
                throw new IllegalArgumentException(value);
            }
            return Boolean.valueOf(value);
        }
        if (type == int.class) {
            return Integer.valueOf(value);
        }
        if (type == long.class) {
            return Long.valueOf(value);
        }
        if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                if (constant.toString().equalsIgnoreCase(value)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException(value);
        }
        return value;
    }
}
