package io.brokermeter.driver.rocketmq.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.route.QueueData;
import org.apache.rocketmq.remoting.protocol.route.TopicRouteData;
import org.junit.jupiter.api.Test;

class RouteTest {

    private static final String SERVERS = "127.0.0.1:9876";

    @Test
    void isSentToWhereAMasterIsAndReadFromSlavesToo() {
        Route route = route(Map.of("a", List.of(1L), "b", List.of(0L, 1L)));
        assertThat(route.queues(true)).extracting(MessageQueue::getBrokerName).containsExactly("b", "b");
        assertThat(route.queues(false)).extracting(MessageQueue::getBrokerName).containsExactly("a", "a", "b", "b");
        assertThat(route.master("a")).isNull();
        assertThat(route.master("b")).isEqualTo("127.0.0.1:10");
    }

    @Test
    void hasNothingWhereThereIsNoSuchTopic() {
        Route route = new Route("T", null);
        assertThat(route.queues(true)).isEmpty();
        assertThat(route.brokers()).isEmpty();
        assertThat(new TopicBrokers().allThere(SERVERS, route)).isTrue();
    }

    /** Messages may wait on a broker that the name server no longer lists, so their number is unknown. */
    @Test
    void remembersABrokerThatTheNameServerForgot() {
        TopicBrokers brokers = new TopicBrokers();
        assertThat(brokers.allThere(SERVERS, route(Map.of("a", List.of(0L), "b", List.of(0L))))).isTrue();
        assertThat(brokers.allThere(SERVERS, route(Map.of("a", List.of(1L), "b", List.of(0L))))).isFalse();
        assertThat(brokers.allThere(SERVERS, route(Map.of("b", List.of(0L))))).isFalse();
        assertThat(brokers.allThere("elsewhere:9876", route(Map.of("b", List.of(0L))))).isTrue();
        assertThat(brokers.allThere(SERVERS, route(Map.of("a", List.of(0L), "b", List.of(0L))))).isTrue();
        brokers.forget(SERVERS, "T");
        assertThat(brokers.allThere(SERVERS, route(Map.of("b", List.of(0L))))).isTrue();
    }

    /** Returns a route with two queues on each broker. The ids are those of the broker's running processes; 0 is its master. */
    private static Route route(Map<String, List<Long>> brokers) {
        TopicRouteData data = new TopicRouteData();
        data.setQueueDatas(new ArrayList<>());
        data.setBrokerDatas(new ArrayList<>());
        brokers.forEach((name, ids) -> {
            QueueData queues = new QueueData();
            queues.setBrokerName(name);
            queues.setReadQueueNums(2);
            queues.setWriteQueueNums(2);
            queues.setPerm(6);
            data.getQueueDatas().add(queues);
            HashMap<Long, String> addresses = new HashMap<>();
            ids.forEach(id -> addresses.put(id, "127.0.0.1:1" + id));
            data.getBrokerDatas().add(new BrokerData("cluster", name, addresses));
        });
        return new Route("T", data);
    }
}
