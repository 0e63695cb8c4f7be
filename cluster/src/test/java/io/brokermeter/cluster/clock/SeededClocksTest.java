package io.brokermeter.cluster.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hundred seeded simulations of delay, asymmetry, drift, queueing and steps: the true offset is always within the bound. */
@Tag("slow")
class SeededClocksTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long RUN = 90 * SECOND;

    /** Simulated clocks and network paths, all from a seed. Times are true times, in nanoseconds from 0. */
    private static final class World {
        final Random random;
        final long agentZero;
        final long coordinatorZero;
        final double drift;
        final double wander;
        final double wave;
        final long stepAt;
        final long stepAgent;
        final long stepCoordinator;
        final long[] least = new long[2];
        final double[] noise = new double[2];
        final double[] busy = new double[2];
        final long[] service = new long[2];
        final double[] queue = new double[2];
        final long[] seen = new long[2];
        final long[] next = new long[2];

        World(int seed) {
            random = new Random(seed);
            agentZero = random.nextLong(1_000_000_000_000_000L);
            coordinatorZero = random.nextLong(1_000_000_000_000_000L);
            drift = (random.nextDouble() - 0.5) * (seed % 10 == 0 ? 980e-6 : 60e-6);
            // The rate of the clock varies by up to 0.2 ppm.
            wander = seed % 3 == 0 ? 0.2e-6 * random.nextDouble() : 0;
            wave = 2 * Math.PI / (30 + random.nextDouble() * 300) / 1e9;
            for (int way = 0; way < 2; way++) {
                least[way] = (long) (5_000 * Math.pow(10, 3 * random.nextDouble()));
                noise[way] = least[way] * random.nextDouble();
                busy[way] = switch (seed % 4) {
                    case 0 -> 0;
                    case 1 -> way == 0 ? 0.9 : 0;
                    case 2 -> random.nextDouble() * 0.98;
                    default -> way == 1 ? 0.7 : 0.3;
                };
                service[way] = 1_000_000L + random.nextLong(12_000_000);
            }
            boolean steps = seed % 4 == 3;
            stepAt = 20 * SECOND + random.nextLong(40 * SECOND);
            // Larger than the narrowest possible band, since a smaller step cannot be detected.
            long size =
                (long) ((least[0] + least[1]) * (2 + 5 * random.nextDouble()) + 2 * (noise[0] + noise[1])) + random.nextLong(10) * SECOND;
            boolean agentsClock = random.nextBoolean();
            stepAgent = steps && agentsClock ? size : 0;
            stepCoordinator = steps && !agentsClock ? size : 0;
        }

        long agent(long time) {
            return agentZero + time + Math.round(drift * time + wander / wave * Math.sin(wave * time)) + (time >= stepAt ? stepAgent : 0);
        }

        long coordinator(long time) {
            return coordinatorZero + time + (time >= stepAt ? stepCoordinator : 0);
        }

        /** Returns the delay of a packet that leaves at {@code time}: the minimum, a random part, and the queue before it. */
        long delay(int way, long time) {
            while (busy[way] > 0 && next[way] <= time) {
                queue[way] = Math.max(0, queue[way] - (next[way] - seen[way])) + exponential(service[way]);
                seen[way] = next[way];
                next[way] += 1 + (long) exponential(service[way] / busy[way]);
            }
            queue[way] = Math.max(0, queue[way] - (time - seen[way]));
            seen[way] = time;
            return least[way] + (long) (exponential(noise[way]) + queue[way]);
        }

        double exponential(double mean) {
            return -Math.log(1 - random.nextDouble()) * mean;
        }
    }

    @Test
    void theTruthIsWithinTheBoundInHundredOfHundred() {
        long asked = 0;
        int stepped = 0;
        for (int seed = 0; seed < 100; seed++) {
            World world = new World(seed);
            OffsetBand band = new OffsetBand();
            long last = 0;
            long toldAt = 0;
            boolean told = world.stepAgent + world.stepCoordinator == 0;
            for (long time = 0; time < RUN;) {
                time += 1 + (long) world.exponential(20_000_000);
                long there = time + world.delay(0, time);
                long sent = there + 1_000 + world.random.nextLong(5_000);
                long back = sent + world.delay(1, sent);
                told |= band.add(world.agent(time), world.coordinator(there), world.coordinator(sent), world.agent(back));
                toldAt = toldAt == 0 && told ? back : toldAt;
                boolean unseen = !told && back >= world.stepAt;
                if (back - last < 200_000_000 || unseen) {
                    continue;
                }
                last = back;
                // The present, 50 ms later, and two seconds back.
                for (long moment : new long[] {back, back + 50_000_000, back - 2 * SECOND}) {
                    long now = world.agent(moment);
                    if (moment < 0 || moment >= world.stepAt && !told || now - band.begin() < 0) {
                        continue;
                    }
                    if (moment == back + 50_000_000 && back < world.stepAt && moment >= world.stepAt) {
                        continue;
                    }
                    Offset known = band.at(now);
                    if (known == null) {
                        continue;
                    }
                    long truth = now - world.coordinator(moment);
                    assertThat(Math.abs(known.offset() - truth)).as("seed %d at %.3f s: %s, step %d", seed, moment / 1e9, known,
                        world.stepAt).isLessThanOrEqualTo(known.bound());
                    asked++;
                }
            }
            boolean steps = world.stepAgent + world.stepCoordinator > 0;
            assertThat(band.steps()).as("seed %d", seed).hasSize(steps ? 1 : 0);
            for (ClockStep step : band.steps()) {
                stepped++;
                assertThat(toldAt - world.stepAt).as("seed %d: seen after, ns", seed).isLessThan(3 * SECOND);
                assertThat(step.from()).isLessThanOrEqualTo(world.agent(world.stepAt));
                assertThat(step.to()).isGreaterThanOrEqualTo(world.agent(world.stepAt));
                assertThat(Math.abs(step.by() - (world.stepAgent - world.stepCoordinator))).as("seed %d: %s", seed, step)
                    .isLessThanOrEqualTo(step.bound());
            }
        }
        assertThat(asked).isGreaterThan(80_000);
        assertThat(stepped).isEqualTo(25);
    }
}
