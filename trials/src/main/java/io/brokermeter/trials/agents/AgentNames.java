package io.brokermeter.trials.agents;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.cluster.ClusterSettings;
import io.brokermeter.cluster.Member;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.Agents;

/**
 * The names and the order of the agents of a pool.
 *
 * @param wanted the agents that the user named
 * @param members the members of the cluster by their ids
 * @param machine the id of this machine
 */
record AgentNames(Agents wanted, Map<String, Member> members, String machine) {

    /** The order of agents by their names, in which a number at the end counts as such: agent2 comes before agent10. */
    static final Comparator<AgentInfo> BY_NAME = Comparator.<AgentInfo, String>comparing(agent -> agent.name().replaceFirst("[0-9]+$", ""))
        .thenComparingInt(agent -> agent.name().length()).thenComparing(AgentInfo::name);

    /** Returns the agents in the order in which the user named them, and those behind one name in the order of their own names. */
    List<AgentInfo> infos(Map<String, Message.Hello> hellos) {
        List<Agents.Host> named = wanted.who() instanceof Agents.On(List<Agents.Host> hosts) ? hosts : List.of();
        Map<String, Integer> places = new HashMap<>();
        List<AgentInfo> infos = new ArrayList<>();
        hellos.forEach((id, hello) -> {
            Member member = members.get(id);
            if (member == null) {
                return;
            }
            int place = place(named, member.address());
            places.put(id, place);
            infos.add(new AgentInfo(hello.name(), place < named.size() ? named.get(place).name() : member.address(), id, hello.labels(),
                !machine.isEmpty() && machine.equals(hello.machine()), hello.processors()));
        });
        infos.sort(Comparator.<AgentInfo>comparingInt(agent -> places.getOrDefault(agent.member(), 0)).thenComparing(BY_NAME));
        return List.copyOf(infos);
    }

    /** Returns the index of the host to which an address belongs among those that the user named; their number when it belongs to none. */
    private static int place(List<Agents.Host> named, String address) {
        for (int i = 0; i < named.size(); i++) {
            Agents.Host host = named.get(i);
            try {
                int port = host.port() == 0 ? ClusterSettings.PORT : host.port();
                for (InetAddress one : InetAddress.getAllByName(host.name())) {
                    if (address.equals(one.getHostAddress() + ":" + port) || address.equals("[" + one.getHostAddress() + "]:" + port)) {
                        return i;
                    }
                }
            } catch (UnknownHostException e) {
                // the host was known when it was called
            }
        }
        return named.size();
    }

    /** @throws UsageException when two agents have one name */
    void require(List<AgentInfo> agents) {
        Map<String, AgentInfo> names = new LinkedHashMap<>();
        for (AgentInfo agent : agents) {
            AgentInfo other = names.put(agent.name().toLowerCase(Locale.ROOT), agent);
            if (other != null) {
                throw new UsageException(
                    "The agents at " + where(other, agent) + " and " + where(agent, other) + " are both called '" + agent.name()
                        + "'; give each a name of its own.");
            }
        }
    }

    /** Returns the host of an agent as the user named it; its address and port when the other agent is on the same host. */
    private String where(AgentInfo agent, AgentInfo other) {
        Member member = members.get(agent.member());
        return member != null && agent.host().equalsIgnoreCase(other.host()) ? member.address() : agent.host();
    }
}
