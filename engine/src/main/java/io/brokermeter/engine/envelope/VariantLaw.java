package io.brokermeter.engine.envelope;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Weighted;
import org.jspecify.annotations.Nullable;

/**
 * The law by which the variants of messages are drawn. The index of a variant is a mixed radix number whose digits are its key,
 * its priority and the values of its headers, the key varying slowest, in the order in which the plan lists variants. Shared by
 * the producers of a group; a draw allocates nothing.
 */
final class VariantLaw {

    private final int keys;
    private final Keys.@Nullable Spread spread;
    private final @Nullable AliasTable zipf;
    /** The tables of the priorities and of each header, where there are several values. */
    private final AliasTable[] digits;
    private final int[] radixes;

    private VariantLaw(@Nullable Keys keys, List<AliasTable> digits, List<Integer> radixes) {
        this.keys = keys == null ? 1 : keys.count();
        this.spread = this.keys == 1 || keys == null ? null : keys.spread();
        this.zipf = spread instanceof Keys.Spread.Zipf law ? AliasTable.zipf(this.keys, law.exponent()) : null;
        this.digits = digits.toArray(AliasTable[]::new);
        this.radixes = radixes.stream().mapToInt(Integer::intValue).toArray();
    }

    static VariantLaw of(Messages messages) {
        List<AliasTable> digits = new ArrayList<>();
        List<Integer> radixes = new ArrayList<>();
        add(messages.priorities(), digits, radixes);
        for (Header header : messages.headers()) {
            add(header.values(), digits, radixes);
        }
        return new VariantLaw(messages.keys(), digits, radixes);
    }

    private static <T> void add(List<Weighted<T>> values, List<AliasTable> digits, List<Integer> radixes) {
        if (values.size() > 1) {
            digits.add(AliasTable.of(values.stream().mapToDouble(Weighted::share).toArray()));
            radixes.add(values.size());
        }
    }

    /** Returns the index of the next message's variant. {@code turn} grows by one with each message of a producer. */
    int next(SplittableRandom random, long turn) {
        int index = spread == null ? 0
            : zipf != null ? zipf.draw(random)
                : spread instanceof Keys.Spread.InTurn ? (int) (turn % keys)
                    : random.nextInt(keys);
        for (int i = 0; i < digits.length; i++) {
            index = index * radixes[i] + digits[i].draw(random);
        }
        return index;
    }
}
