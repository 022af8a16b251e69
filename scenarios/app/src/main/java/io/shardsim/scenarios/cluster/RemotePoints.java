package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.simulator.TooLargeException;
import java.io.NotSerializableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The points that a command waits for, over one connection at a time to any of its contacts. When a connection is lost, the next contact is asked for
 * the open points with the same ticket: the cluster continues where it was. Contacts are those that the user named, followed by the workers that the
 * cluster has named.
 */
final class RemotePoints {
    /** Time without a worker that the coordinator hears, or without a coordinator, until the user is notified. */
    private static final Duration NOTICEABLE = Duration.ofSeconds(15);

    private static final int MORE_CONTACTS_MAX = 8;

    /** A connection. */
    interface Link {
        /** Sends a message after earlier ones; a failure counts as a lost connection. */
        void send(DoorMessage message);

        void close();
    }

    /** Opens connections, which report later whether they succeeded. */
    interface Connector {
        Link connect(HostPort contact, RemotePoints points);
    }

    private final ClusterSettings settings;
    private final String job;
    private final Connector connector;
    private final Consumer<String> notices;
    /** Monotonic clock [ns]. */
    private final LongSupplier clock;

    private final WireCodec codec = ClusterProtocol.contentCodec();
    private final CompletableFuture<Integer> connected = new CompletableFuture<>();
    /** State: points without a result. */
    private final Map<Integer, Wish> wishes = new LinkedHashMap<>();
    /** State: number of finished points by address. */
    private final Map<String, Integer> done = new LinkedHashMap<>();

    private final Set<HostPort> learned = new LinkedHashSet<>();
    private @Nullable Link link;
    /** Address of the current or last connection. */
    private HostPort contact;

    private boolean welcome;
    private int attempts;
    private int connections;
    private int numbers;
    /** Time since which no contact has accepted this command [ns]. */
    private long aloneNanos;
    /** Time when a contact was last asked [ns]. */
    private long askedNanos;
    /** Time when a contact was last heard from [ns]. */
    private long heardNanos;
    /** Time when the coordinator was last heard from [ns]. */
    private long coordinatorNanos;
    /** Time since which the coordinator has heard no worker; null while it does [ns]. */
    private @Nullable Long idleNanos;

    private boolean silenceTold;
    private String lastFailure = "";
    private @Nullable String ended;
    private List<DoorMessage.Standing> workers = List.of();

    private record Wish(DoorMessage.Question question, CompletableFuture<RunResult> result) {}

    /**
     * @param job the command's ticket
     * @param notices receives messages for the user
     * @param clock monotonic clock [ns]
     */
    RemotePoints(
            ClusterSettings settings, String job, Connector connector, Consumer<String> notices, LongSupplier clock) {
        this.settings = settings;
        this.job = job;
        this.connector = connector;
        this.notices = notices;
        this.clock = clock;
        contact = settings.seeds().get(0);
        aloneNanos = clock.getAsLong();
        heardNanos = aloneNanos;
        coordinatorNanos = aloneNanos;
    }

    /** Completes with the number of workers once the first contact has answered; fails if none does. */
    CompletableFuture<Integer> connected() {
        return connected;
    }

    /** Requests a point. */
    synchronized int ask(double weight, int parts, boolean restart, byte[] body, CompletableFuture<RunResult> result) {
        DoorMessage.Question question = new DoorMessage.Question(++numbers, weight, parts, restart, body);
        if (ended != null) {
            result.completeExceptionally(new IllegalStateException(ended));
            return question.number();
        }
        wishes.put(question.number(), new Wish(question, result));
        send(question);
        if (parts > 0) {
            sayWhatIsWanted();
        }
        return question.number();
    }

    /** Cancels a point. */
    synchronized void cancel(int number) {
        wishes.remove(number);
        sayWhatIsWanted();
    }

    synchronized void close() {
        ended = "closed";
        send(new DoorMessage.Wanted(List.of(), true));
        Link last = link;
        link = null;
        if (last != null) {
            last.close();
        }
    }

    /** Handles an open connection. */
    synchronized void opened(Link opened) {
        if (opened == link) {
            opened.send(new DoorMessage.Hello(
                    DoorMessage.VERSION, Build.current().toString(), settings.name(), job, ++connections));
        }
    }

    /** Handles a connection that could not be opened, or was lost. */
    synchronized void lost(Link lost, String why) {
        if (lost != link) {
            return;
        }
        lost.close();
        link = null;
        lastFailure = contact + ": " + why;
        if (welcome) {
            notices.accept("lost the worker at " + contact + " (" + why + "); looking for another");
            welcome = false;
            aloneNanos = clock.getAsLong();
            attempts = 0;
        }
        if (attempts < contacts().size() && !isAloneForTooLong()) {
            connect();
        }
    }

    private boolean isAloneForTooLong() {
        return !welcome
                && clock.getAsLong() - aloneNanos
                        > settings.patience().contact().toNanos();
    }

    /** Connects to the next contact; after a loss, first to another one. */
    private void connect() {
        List<HostPort> contacts = contacts();
        contact = contacts.get((contacts.indexOf(contact) + (attempts + connections > 0 ? 1 : 0)) % contacts.size());
        attempts++;
        askedNanos = clock.getAsLong();
        link = connector.connect(contact, this);
    }

    private List<HostPort> contacts() {
        Set<HostPort> all = new LinkedHashSet<>(settings.seeds());
        all.addAll(learned);
        return List.copyOf(all);
    }

    private void send(DoorMessage message) {
        if (link != null && welcome) {
            link.send(message);
        }
    }

    private void sayWhatIsWanted() {
        send(new DoorMessage.Wanted(List.copyOf(wishes.keySet()), false));
    }

    /** Handles a message. */
    synchronized void come(Link from, DoorMessage message) {
        if (from != link) {
            return;
        }
        heardNanos = clock.getAsLong();
        if (message instanceof DoorMessage.Welcome taken) {
            onWelcome(taken);
        } else if (message instanceof DoorMessage.Refused refused) {
            end(refused.why());
        } else if (message instanceof DoorMessage.Result result) {
            onResult(result);
        } else if (message instanceof DoorMessage.Failed failed) {
            fail(wishes.remove(failed.number()), failed.why());
            sayWhatIsWanted();
        } else if (message instanceof DoorMessage.Notice notice) {
            notices.accept(notice.text());
        } else if (message instanceof DoorMessage.Progress progress) {
            onProgress(progress);
        }
    }

    private void onWelcome(DoorMessage.Welcome taken) {
        welcome = true;
        idleNanos = null;
        if (connected.isDone()) {
            notices.accept("continuing through the worker at " + contact);
        }
        wishes.values().forEach(wish -> send(wish.question()));
        sayWhatIsWanted();
        connected.complete(taken.workers());
    }

    private void onProgress(DoorMessage.Progress progress) {
        if (progress.silentMillis() < 0) {
            return;
        }
        coordinatorNanos = Math.max(coordinatorNanos, heardNanos - progress.silentMillis() * 1_000_000);
        if (silenceTold && heardNanos - coordinatorNanos < NOTICEABLE.toNanos()) {
            silenceTold = false;
            notices.accept("the cluster has a coordinator again");
        }
        workers = progress.workers();
        for (DoorMessage.Standing worker : workers) {
            if (learned.size() < MORE_CONTACTS_MAX) {
                learned.add(HostPort.parse(worker.address()));
            }
        }
        if (!workers.isEmpty()) {
            idleNanos = null;
        } else if (idleNanos == null) {
            idleNanos = heardNanos;
        } else if (heardNanos - idleNanos > NOTICEABLE.toNanos()) {
            end("the cluster's coordinator has heard no worker for " + NOTICEABLE.toSeconds() + " s");
        }
    }

    private void onResult(DoorMessage.Result result) {
        Wish wish = wishes.remove(result.number());
        if (wish != null) {
            done.merge(result.worker(), 1, Integer::sum);
            complete(wish, result);
        }
        sayWhatIsWanted();
    }

    private void complete(Wish wish, DoorMessage.Result result) {
        try {
            Answer answer = codec.unpack(result.body(), Answer.class);
            if (answer instanceof Answer.Done ran) {
                wish.result().complete(ran.result());
            } else if (answer instanceof Answer.TooLarge tooLarge) {
                wish.result()
                        .completeExceptionally(new TooLargeException(
                                tooLarge.why(), tooLarge.keys().toArray(String[]::new)));
            } else {
                fail(wish, ((Answer.Failed) answer).why());
            }
        } catch (NotSerializableException broken) {
            fail(wish, "a result of worker " + result.worker() + " cannot be read: " + broken.getMessage());
        }
    }

    private static void fail(@Nullable Wish wish, String why) {
        if (wish != null) {
            wish.result().completeExceptionally(new IllegalStateException(why));
        }
    }

    /** Checks timeouts; called each second, and once at the start. */
    synchronized void tick() {
        if (ended != null) {
            return;
        }
        long now = clock.getAsLong();
        ClusterSettings.Patience patience = settings.patience();
        Link silent = link;
        if (silent == null && !lastFailure.isEmpty() && isAloneForTooLong()) {
            end("no worker has been heard for " + patience.contact().toSeconds() + " s at "
                    + ClusterNode.words(settings.seeds()) + " (" + lastFailure
                    + "); start one with: shardsim worker --seed");
        } else if (silent == null) {
            attempts = 0;
            connect();
        } else if (now - Math.max(heardNanos, askedNanos) > patience.silence().toNanos()) {
            lost(silent, "it has been silent for " + patience.silence().toSeconds() + " s");
        } else {
            sayWhatIsWanted();
        }
        long coordinatorSilent = now - coordinatorNanos;
        if (coordinatorSilent > patience.takeover().toNanos()) {
            end("the cluster has had no coordinator for " + patience.takeover().toSeconds() + " s");
        } else if (welcome && coordinatorSilent > NOTICEABLE.toNanos() && !silenceTold) {
            silenceTold = true;
            notices.accept("the cluster's coordinator has been silent for " + NOTICEABLE.toSeconds()
                    + " s; waiting for another member to take over");
        }
    }

    private void end(String why) {
        if (ended != null) {
            return;
        }
        ended = why;
        connected.completeExceptionally(new IllegalStateException(why));
        List<Wish> all = new ArrayList<>(wishes.values());
        wishes.clear();
        all.forEach(wish -> fail(wish, why));
        Link last = link;
        link = null;
        if (last != null) {
            last.close();
        }
    }

    synchronized int wanted() {
        return wishes.size();
    }

    synchronized HostPort contact() {
        return contact;
    }

    /** Describes the workers on one line: {@code 127.0.0.1:17355 4 done + 1 running, ...}. */
    synchronized String standing() {
        List<String> words = new ArrayList<>();
        for (DoorMessage.Standing worker : workers) {
            words.add(worker.address() + " " + done.getOrDefault(worker.address(), 0) + " done"
                    + (worker.running() == 0 || wishes.isEmpty() ? "" : " + " + worker.running() + " running")
                    + (worker.silentMillis() > 3 * Coordinator.BEAT.toMillis()
                            ? ", silent for " + worker.silentMillis() / 1000 + " s"
                            : ""));
        }
        return String.join(", ", words);
    }

    /** Returns the number of answers so far. */
    synchronized int counted() {
        return done.values().stream().mapToInt(Integer::intValue).sum();
    }
}
