package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pekko.Done;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.apache.pekko.remote.RemoteActorRefProvider;
import org.apache.pekko.remote.artery.ArteryTransport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This JVM's membership in a cluster: its actor system, how it joins, and how it leaves. */
final class ClusterNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    private static final Duration GREETING_EVERY = Duration.ofSeconds(1);
    /** How long to greet a listener that does not answer like a member. */
    private static final Duration SPEECHLESS = Duration.ofSeconds(10);

    private static final Duration LEAVING = Duration.ofSeconds(20);

    private final ClusterSettings settings;
    private final ActorSystem<Void> system;
    private final ConnectionLimit gate;
    private final DoorClient others;
    private final CompletableFuture<Done> ending = new CompletableFuture<>();

    private ClusterNode(ClusterSettings settings, ActorSystem<Void> system, ConnectionLimit gate) {
        this.settings = settings;
        this.gate = gate;
        this.system = system;
        others = new DoorClient(settings);
        CoordinatedShutdown.get(system).addTask(CoordinatedShutdown.PhaseBeforeActorSystemTerminate(), "ending", () -> {
            ending.complete(Done.getInstance());
            return ending;
        });
    }

    /**
     * Starts listening, without joining a cluster yet.
     *
     * @throws IllegalStateException when it cannot bind the port
     */
    static ClusterNode start(ClusterSettings settings) {
        // Several threads that log first at the same time would make slf4j report its own initialization.
        LoggerFactory.getILoggerFactory();
        ConnectionLimit gate = null;
        try {
            gate = ConnectionLimit.bind(settings.bind(), settings.port(), settings.tls() != null);
            ActorSystem<Void> system =
                    ActorSystem.create(Behaviors.empty(), settings.name(), configuration(settings, gate));
            gate.openTo(Framing.ARTERY, boundPort(system));
            return new ClusterNode(settings, system, gate);
        } catch (IOException | RuntimeException failure) {
            if (gate != null) {
                gate.close();
            }
            throw new IllegalStateException(
                    "cannot listen on " + settings.bind() + ":" + settings.port() + ": "
                            + rootOf(failure).getMessage()
                            + "; choose another with --port, or --port 0 for any that is free",
                    failure);
        }
    }

    static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Returns the port that Pekko itself listens on. */
    private static int boundPort(ActorSystem<?> system) {
        RemoteActorRefProvider provider =
                (RemoteActorRefProvider) ((ExtendedActorSystem) Adapter.toClassic(system)).provider();
        return ((ArteryTransport) provider.transport())
                .bindAddress()
                .address()
                .getPort()
                .get();
    }

    /** Opens an endpoint for commands on this member's own port, and one for its metrics if configured. */
    Door openDoor(ClusterMeters meters) {
        Door door = new Door(this, settings, meters);
        gate.openTo(Framing.HTTP, door.open());
        HostPort place = settings.metrics();
        if (place != null) {
            try {
                ConnectionLimit plain = ConnectionLimit.bind(place.host(), place.port(), false);
                plain.openTo(Framing.HTTP, door.openMeters());
                whenEnding(plain::close);
                LOG.info("metrics at http://{}:{}/metrics", place.host(), plain.port());
            } catch (IOException taken) {
                throw new IllegalStateException(
                        "metrics cannot be served at " + place + ": " + taken.getMessage()
                                + "; choose another --metrics-port",
                        taken);
            }
        }
        return door;
    }

    private static Config configuration(ClusterSettings settings, ConnectionLimit gate) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pekko.remote.artery.canonical.hostname", settings.host());
        values.put("pekko.remote.artery.canonical.port", gate.port());
        values.put("pekko.remote.artery.bind.hostname", ClusterSettings.LOOPBACK);
        values.put("pekko.remote.artery.bind.port", 0);
        values.put("pekko.remote.artery.advanced.maximum-frame-size", Framing.ARTERY.frameMax + " b");
        values.put(
                "pekko.cluster.failure-detector.acceptable-heartbeat-pause",
                settings.patience().silence().toMillis() + " ms");
        values.put(
                "pekko.cluster.split-brain-resolver.stable-after",
                settings.patience().removal().toMillis() + " ms");
        values.put(BuildCheck.KEY, Build.current().toString());
        ClusterSettings.Tls tls = settings.tls();
        if (tls != null) {
            String ssl = "pekko.remote.artery.ssl.config-ssl-engine.";
            values.put("pekko.remote.artery.transport", "tls-tcp");
            values.put(ssl + "key-store", tls.keyStore().toString());
            values.put(ssl + "key-store-password", tls.keyStorePassword());
            values.put(ssl + "key-password", tls.keyStorePassword());
            values.put(ssl + "trust-store", tls.trustStore().toString());
            values.put(ssl + "trust-store-password", tls.trustStorePassword());
        }
        return ConfigFactory.parseMap(values)
                .withFallback(ConfigFactory.parseResources(ClusterNode.class, "/cluster.conf"))
                .withFallback(ConfigFactory.defaultReferenceUnresolved())
                .resolve();
    }

    ActorSystem<Void> system() {
        return system;
    }

    <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
        return system.systemActorOf(behavior, name, Props.empty());
    }

    /**
     * Terminates this member with the actor that does its work; otherwise it would look like a member and do nothing.
     *
     * @param ended task to run first
     */
    void guard(ActorRef<?> work, Runnable ended) {
        spawn(
                Behaviors.<Void>setup(context -> {
                    context.watch(work);
                    return Behaviors.receive(Void.class)
                            .onSignal(Terminated.class, stopped -> {
                                ended.run();
                                return Behaviors.stopped();
                            })
                            .build();
                }),
                "guard");
    }

    /** Terminates without leaving. */
    void terminate() {
        system.terminate();
    }

    /**
     * Runs a task once this member has left or was removed, and its actor system is about to terminate. Waiting for the termination itself
     * occasionally hangs in Pekko 1.7.0: the actor system of a removed member may stop in its last phase.
     */
    void whenEnding(Runnable task) {
        CompletableFuture<Void> unused = ending.thenRun(task);
    }

    void awaitEnding() {
        ending.join();
    }

    /** Returns whether the others have removed this member, or are about to. */
    boolean isRemoved() {
        MemberStatus status = Cluster.get(system).selfMember().status();
        return status == MemberStatus.removed() || status == MemberStatus.down();
    }

    /** Returns the coordinator, wherever it is; this member may have to host it. */
    ActorRef<Coordinator.Command> coordinator() {
        return ClusterSingleton.get(system)
                .init(SingletonActor.of(Coordinator.create(settings.patience().silence()), Coordinator.NAME));
    }

    /** Returns this member's address as the others know it. */
    HostPort address() {
        return place(Cluster.get(system).selfMember().address());
    }

    static HostPort place(Address address) {
        return new HostPort(
                address.getHost().orElse("?"), (Integer) address.getPort().orElse(0));
    }

    /** Starts a cluster of one. */
    void seed() throws InterruptedException {
        join(List.of(address()));
    }

    /**
     * Finds a member of a cluster.
     *
     * @param contacts addresses to ask
     * @param patience how long to try
     * @return the first greeting; null if there was none
     * @throws IllegalStateException when a member runs another build, or the listener is not a member
     */
    DoorMessage.@Nullable Greeting find(List<HostPort> contacts, Duration patience) throws InterruptedException {
        HostPort self = address();
        long beganNanos = System.nanoTime();
        long speechlessNanos = 0;
        while (System.nanoTime() - beganNanos < patience.toNanos()) {
            String speechless = null;
            for (HostPort contact : contacts) {
                try {
                    DoorMessage.Greeting greeting = contact.equals(self) ? null : others.greet(contact);
                    if (greeting != null && isOfThisCluster(greeting)) {
                        return greeting;
                    }
                } catch (IOException other) {
                    speechless = contact + ", but no member of a cluster (" + other.getMessage() + ")";
                }
            }
            speechlessNanos = speechless == null ? 0 : speechlessNanos == 0 ? System.nanoTime() : speechlessNanos;
            if (speechless != null && System.nanoTime() - speechlessNanos > SPEECHLESS.toNanos()) {
                throw new IllegalStateException(
                        "something is listening at " + speechless + "; compare tls in the cluster files of both sides");
            }
            Thread.sleep(GREETING_EVERY.toMillis());
        }
        return null;
    }

    private boolean isOfThisCluster(DoorMessage.Greeting greeting) {
        String own = Build.current().toString();
        if (!greeting.build().equals(own)) {
            throw new IllegalStateException(BuildCheck.mismatch(greeting.address(), greeting.build(), own));
        }
        if (!greeting.cluster().equals(settings.name())) {
            throw new IllegalStateException(otherCluster(greeting.address(), greeting.cluster(), settings.name()));
        }
        if (greeting.joined()) {
            refuseLoopback(HostPort.parse(greeting.address()));
        }
        return greeting.joined();
    }

    /** Returns why a worker and a contacted member cannot form a cluster. */
    static String otherCluster(String worker, String its, String other) {
        return "the worker at " + worker + " belongs to the cluster " + its + ", not to " + other
                + "; give both the same name in their cluster files";
    }

    /** Refuses loopback addresses with which members on other machines could not find each other. */
    private void refuseLoopback(HostPort found) {
        boolean elsewhere = !ClusterSettings.isLoopback(found.host());
        if (elsewhere == ClusterSettings.isLoopback(settings.host())) {
            throw new IllegalStateException(
                    elsewhere
                            ? "the members of the cluster at " + found + " could not reach this one at "
                                    + settings.host() + "; set --host to a name or address at which they can reach it"
                            : "the member at " + found + " calls itself " + found.host()
                                    + " and is reachable only from its own machine; restart it with --host");
        }
    }

    private Address pekkoAddress(HostPort place) {
        return new Address("pekko", settings.name(), place.host(), place.port());
    }

    static String words(List<HostPort> places) {
        return String.join(" or ", places.stream().map(HostPort::toString).toList());
    }

    /**
     * Joins a member's cluster, through another contact if that member is gone in the meantime; returns when this one is up.
     *
     * @throws IllegalStateException when it is refused, or times out
     */
    void join(HostPort found, List<HostPort> more) throws InterruptedException {
        Set<HostPort> contacts = new LinkedHashSet<>();
        contacts.add(found);
        contacts.addAll(more);
        // Itself among the contacts, it would start a cluster of its own.
        contacts.remove(address());
        join(List.copyOf(contacts));
    }

    private void join(List<HostPort> contacts) throws InterruptedException {
        CompletableFuture<Boolean> up = new CompletableFuture<>();
        whenEnding(() -> up.complete(false));
        var cluster = org.apache.pekko.cluster.Cluster.get(Adapter.toClassic(system));
        cluster.registerOnMemberUp(() -> up.complete(true));
        cluster.joinSeedNodes(contacts.stream().map(this::pekkoAddress).toList());
        try {
            if (!up.get(settings.patience().join().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "the cluster at " + words(contacts) + " refused this member; see its log");
            }
        } catch (TimeoutException | ExecutionException late) {
            throw new IllegalStateException(
                    "the cluster at " + words(contacts) + " did not admit this member within "
                            + settings.patience().join().toSeconds()
                            + " s; an unreachable member blocks joining until it is removed",
                    late);
        }
    }

    /**
     * Reports members that join, leave, or become unreachable.
     *
     * @param seen receives the addresses of all present and new members
     */
    void watchMembers(Consumer<String> notices, Set<HostPort> seen) {
        spawn(Membership.create(notices, seen), "membership");
    }

    /** Returns the other members. */
    List<HostPort> otherMembers() {
        Cluster cluster = Cluster.get(system);
        List<HostPort> members = new ArrayList<>();
        for (Member member : cluster.state().getMembers()) {
            if (!member.address().equals(cluster.selfMember().address())) {
                members.add(place(member.address()));
            }
        }
        return members;
    }

    /**
     * Leaves the cluster once every other member has answered. While one of them is silent and not removed, this member's vote may be needed for the
     * others' majority, so it must not leave before. With two members it is not needed.
     */
    void leave() {
        ClusterSettings.Patience patience = settings.patience();
        long waitNanos =
                patience.silence().plus(patience.removal()).plus(LEAVING).toNanos();
        long beganNanos = System.nanoTime();
        try {
            while (System.nanoTime() - beganNanos < waitNanos && isOneSilent()) {
                Thread.sleep(GREETING_EVERY.toMillis());
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** Returns whether one of several others does not answer. */
    private boolean isOneSilent() throws InterruptedException {
        List<HostPort> members = otherMembers();
        if (members.size() < 2) {
            return false;
        }
        for (HostPort member : members) {
            try {
                if (others.greet(member) == null) {
                    return true;
                }
            } catch (IOException silent) {
                return true;
            }
        }
        return false;
    }

    /** Leaves the cluster; returns when it has left, or on a timeout: the others then remove it as unreachable. */
    @Override
    public void close() {
        system.terminate();
        try {
            system.getWhenTerminated().toCompletableFuture().get(LEAVING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException late) {
            LOG.warn(
                    "the actor system of this member has not stopped within {} s; continuing without it",
                    LEAVING.toSeconds());
        }
        gate.close();
        others.close();
    }
}
