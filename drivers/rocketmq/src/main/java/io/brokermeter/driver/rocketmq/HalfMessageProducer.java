package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageId;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.header.EndTransactionRequestHeader;

/**
 * A producer that sends half messages, which the broker holds back, and makes them take effect at the commit. RocketMQ decides on each
 * message by itself: messages that are committed together take effect one after another.
 *
 * <p>Used by the sending thread; only {@link #abandon} may be called by another one.
 */
final class HalfMessageProducer implements Producer, ConnectionLossListener {

    private final TransactionMQProducer producer;
    private final DefaultMQProducerImpl client;
    private final MessageForm form;
    private final boolean oneByOne;
    private final SendListener listener;
    private final long timeoutMillis;
    private final long closeMillis;
    /** Whether a close waited for the broker in vain; shared by the producers and consumers of a connection. */
    private final AtomicBoolean mute;
    private final List<Half> open = new ArrayList<>();
    private final CompletableFuture<Void> abandoned = new CompletableFuture<>();
    private boolean isClosed;

    /**
     * @param oneByOne whether each step waits for the one before, so that the order holds in brokers with several threads
     * @param limit the longest time that a step may wait for answers at the end
     */
    @SuppressWarnings("deprecation") // the way to the methods that skip name spaces and traces
    HalfMessageProducer(TransactionMQProducer producer, MessageForm form, boolean oneByOne, AtomicBoolean mute,
            Duration limit, SendListener listener) {
        this.mute = mute;
        this.producer = producer;
        this.client = producer.getDefaultMQProducerImpl();
        this.form = form;
        this.oneByOne = oneByOne;
        this.listener = listener;
        this.timeoutMillis = producer.getSendMsgTimeout();
        this.closeMillis = Math.min(timeoutMillis + 2500, limit.toMillis());
    }

    /** A half message that is neither committed nor rolled back yet. */
    private static final class Half implements SendCallback {

        private final long token;
        private final CompletableFuture<SendResult> answer = new CompletableFuture<>();

        Half(long token) {
            this.token = token;
        }

        @Override
        public void onSuccess(SendResult result) {
            answer.complete(result);
        }

        @Override
        public void onException(Throwable thrown) {
            answer.completeExceptionally(thrown);
        }
    }

    @Override
    @SuppressWarnings("deprecation") // as above
    public void send(Payload payload, long token) throws Exception {
        if (isClosed) {
            throw new DriverException("The producer is closed.", null);
        }
        Message message = form.message(payload);
        MessageAccessor.putProperty(message, MessageConst.PROPERTY_TRANSACTION_PREPARED, "true");
        MessageAccessor.putProperty(message, MessageConst.PROPERTY_PRODUCER_GROUP, producer.getProducerGroup());
        Half half = new Half(token);
        open.add(half);
        client.send(message, form.nextQueue(payload.variant()), half, timeoutMillis);
        if (oneByOne) {
            try {
                await(half.answer, deadline());
            } catch (InterruptedException e) {
                // the message is sent and part of the transaction, so this must not look like a failed send
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                // the commit fails with this exception
            }
        }
    }

    @Override
    public void commit() throws Exception {
        List<Half> transaction = List.copyOf(open);
        open.clear();
        try {
            long deadline = deadline();
            for (Half half : transaction) {
                SendResult result = await(half.answer, deadline);
                if (result.getSendStatus() != SendStatus.SEND_OK) {
                    throw Causes.ofStatus(result.getSendStatus());
                }
            }
        } catch (Exception e) {
            for (Half half : transaction) {
                // The stored half messages are useless; if the rollback is lost, the broker asks, and finally drops them.
                if (half.answer.isDone() && !half.answer.isCompletedExceptionally() && !abandoned.isDone()) {
                    end(half, MessageSysFlag.TRANSACTION_ROLLBACK_TYPE);
                }
            }
            throw failed(transaction, e, true);
        }
        try {
            long deadline = deadline();
            List<CompletableFuture<RemotingCommand>> answers = new ArrayList<>(transaction.size());
            for (Half half : transaction) {
                CompletableFuture<RemotingCommand> answer = end(half, MessageSysFlag.TRANSACTION_COMMIT_TYPE);
                if (oneByOne) {
                    succeed(await(answer, deadline()));
                } else {
                    answers.add(answer);
                }
            }
            for (CompletableFuture<RemotingCommand> answer : answers) {
                succeed(await(answer, deadline));
            }
        } catch (Exception e) {
            // some of them may have taken effect
            throw failed(transaction, e, false);
        }
        for (Half half : transaction) {
            listener.confirmed(half.token);
        }
    }

    /**
     * Rolls back the half messages that the broker stored. Messages that it did not store need no rollback, and if a rollback is lost, the
     * broker finally drops the message.
     */
    @Override
    public void rollback() throws Exception {
        List<Half> transaction = List.copyOf(open);
        open.clear();
        List<CompletableFuture<RemotingCommand>> answers = new ArrayList<>(transaction.size());
        try {
            long deadline = deadline();
            for (Half half : transaction) {
                try {
                    await(half.answer, deadline);
                } catch (InterruptedException e) {
                    throw e;
                } catch (Exception e) {
                    if (!half.answer.isCompletedExceptionally() || abandoned.isDone()) {
                        throw e;
                    }
                    continue;
                }
                answers.add(end(half, MessageSysFlag.TRANSACTION_ROLLBACK_TYPE));
            }
            for (CompletableFuture<RemotingCommand> answer : answers) {
                succeed(await(answer, deadline));
            }
        } catch (DriverException e) {
            throw Causes.again(e);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw Causes.ofSend(e, form.topic());
        }
    }

    private static void succeed(RemotingCommand answer) throws DriverException {
        if (answer.getCode() != ResponseCode.SUCCESS) {
            throw Causes.ofSend(new MQBrokerException(answer.getCode(), answer.getRemark()), "");
        }
    }

    /** @param refused whether it is certain that no message of the transaction takes effect */
    private DriverException failed(List<Half> transaction, Exception thrown, boolean refused) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        DriverException cause = thrown instanceof DriverException sentence ? sentence : Causes.ofSend(thrown, form.topic());
        for (Half half : transaction) {
            if (refused) {
                listener.failed(half.token, cause);
            } else {
                listener.unknown(half.token, cause);
            }
        }
        return Causes.again(cause);
    }

    private long deadline() {
        long millis = !isClosed ? timeoutMillis + 2500 : mute.get() ? 0 : closeMillis;
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private <T> T await(CompletableFuture<T> answer, long deadline) throws Exception {
        try {
            CompletableFuture.anyOf(answer, abandoned).get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return answer.get(0, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            if (isClosed) {
                mute.set(true);
            }
            throw new DriverException("TIMEOUT: The broker did not answer a transaction on " + form.topic() + " in time.", e);
        }
    }

    /** Sends the broker the decision on a half message. */
    private CompletableFuture<RemotingCommand> end(Half half, int decision) {
        try {
            SendResult result = half.answer.join();
            MessageId place = MessageDecoder.decodeMessageId(
                result.getOffsetMsgId() != null ? result.getOffsetMsgId() : result.getMsgId());
            MQClientInstance instance = client.getMqClientFactory();
            String broker = result.getMessageQueue().getBrokerName();
            EndTransactionRequestHeader header = new EndTransactionRequestHeader();
            header.setTopic(form.topic());
            header.setTransactionId(result.getTransactionId());
            header.setCommitLogOffset(place.getOffset());
            header.setBrokerName(broker);
            header.setCommitOrRollback(decision);
            header.setProducerGroup(producer.getProducerGroup());
            header.setTranStateTableOffset(result.getQueueOffset());
            header.setMsgId(result.getMsgId());
            return instance.getMQClientAPIImpl().getRemotingClient().invoke(instance.findBrokerAddressInPublish(broker),
                RemotingCommand.createRequestCommand(RequestCode.END_TRANSACTION, header), timeoutMillis);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void abandon(Throwable cause) {
        abandoned.completeExceptionally(Causes.again(cause));
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (!open.isEmpty()) {
            try {
                commit();
            } catch (Exception e) {
                // each token was reported with the cause
            }
        }
    }
}
