package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.dispatch.MailboxType;
import org.apache.pekko.dispatch.MessageQueue;
import org.apache.pekko.dispatch.ProducesMessageQueue;
import org.apache.pekko.dispatch.UnboundedMailbox;
import scala.Option;

/** An unbounded mailbox that can be asked how full it is; named in {@code cluster.conf}. */
public final class CountingMailbox implements MailboxType, ProducesMessageQueue<UnboundedMailbox.MessageQueue> {
    static final String CONFIG = "shardsim.counting-mailbox";

    private static final Set<Counted> OPEN = Collections.newSetFromMap(new ConcurrentHashMap<>());

    public CountingMailbox(ActorSystem.Settings settings, Config config) {}

    @Override
    public MessageQueue create(Option<ActorRef> owner, Option<ActorSystem> system) {
        Counted queue = new Counted();
        OPEN.add(queue);
        return queue;
    }

    private static final class Counted extends UnboundedMailbox.MessageQueue {
        @Override
        public void cleanUp(ActorRef owner, MessageQueue deadLetters) {
            OPEN.remove(this);
            super.cleanUp(owner, deadLetters);
        }
    }

    /** Messages that wait in the mailboxes of this JVM's members, coordinators and commands. */
    static int waiting() {
        int sum = 0;
        for (Counted queue : OPEN) {
            sum += queue.numberOfMessages();
        }
        return sum;
    }
}
