package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.pekko.actor.ActorSelection;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.ClusterSingletonSettings;
import org.apache.pekko.cluster.typed.JoinSeedNodes;
import org.apache.pekko.cluster.typed.SelfUp;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.apache.pekko.cluster.typed.Subscribe;
import org.apache.pekko.remote.RemoteActorRefProvider;
import org.apache.pekko.remote.artery.ArteryTransport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This JVM's place in a cluster: its actor system, how it joins, and how it leaves. */
final class ClusterNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    /** Role of the members that run points. */
    static final String WORKER = "worker";
    /** Role of the members that are counted when the network falls apart. */
    static final String VOTER = "voter";
    /** Role of a command. */
    static final String COMMAND = "command";

    private static final Duration GREETING_EVERY = Duration.ofSeconds(1);
    private static final int CONNECT_MILLIS = 2000;
    /** How long something that listens, but is no member that we understand, is greeted. */
    private static final Duration SPEECHLESS = Duration.ofSeconds(10);

    private static final Duration LEAVING = Duration.ofSeconds(20);

    private final ClusterSettings settings;
    private final ActorSystem<Void> system;
    private final Gate gate;

    private final BlockingQueue<Greeter.Greeting> greetings = new LinkedBlockingQueue<>();
    private final ActorRef<Greeter.Command> greetingsRef;

    private ClusterNode(ClusterSettings settings, ActorSystem<Void> system, Gate gate) {
        this.settings = settings;
        this.gate = gate;
        this.system = system;
        greetingsRef = spawn(
                Behaviors.receive(Greeter.Command.class)
                        .onMessage(Greeter.Greeting.class, greeting -> {
                            greetings.add(greeting);
                            return Behaviors.same();
                        })
                        .build(),
                "greetings");
    }

    /**
     * Listens, and belongs to no cluster yet.
     *
     * @throws IllegalStateException when the port cannot be had
     */
    static ClusterNode start(ClusterSettings settings, List<String> roles) {
        // Several threads that log for the first time at once would make slf4j tell about its own start.
        LoggerFactory.getILoggerFactory();
        Gate gate = null;
        try {
            gate = Gate.bind(settings.bind(), settings.port(), settings.tls() == null ? Framing.ARTERY : Framing.TLS);
            ActorSystem<Void> system =
                    ActorSystem.create(Behaviors.empty(), settings.name(), configuration(settings, roles, gate));
            gate.openTo(boundPort(system));
            ClusterNode node = new ClusterNode(settings, system, gate);
            node.spawn(Greeter.create(), Greeter.NAME);
            return node;
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

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** The port that Pekko itself listens on. */
    private static int boundPort(ActorSystem<?> system) {
        RemoteActorRefProvider provider =
                (RemoteActorRefProvider) ((ExtendedActorSystem) Adapter.toClassic(system)).provider();
        return ((ArteryTransport) provider.transport())
                .bindAddress()
                .address()
                .getPort()
                .get();
    }

    private static Config configuration(ClusterSettings settings, List<String> roles, Gate gate) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pekko.remote.artery.canonical.hostname", settings.host());
        values.put("pekko.remote.artery.canonical.port", gate.port());
        values.put("pekko.remote.artery.bind.hostname", ClusterSettings.LOOPBACK);
        values.put("pekko.remote.artery.bind.port", 0);
        values.put("pekko.remote.artery.advanced.maximum-frame-size", Framing.ARTERY.frameMax + " b");
        values.put("pekko.cluster.roles", roles);
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
        Config own = ConfigFactory.empty();
        for (Map.Entry<String, Object> value : values.entrySet()) {
            own = own.withValue(value.getKey(), ConfigValueFactory.fromAnyRef(value.getValue()));
        }
        return own.withFallback(ConfigFactory.parseResources(ClusterNode.class, "/cluster.conf"))
                .withFallback(ConfigFactory.defaultReferenceUnresolved())
                .resolve();
    }

    ActorSystem<Void> system() {
        return system;
    }

    <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
        return system.systemActorOf(behavior, name, Props.empty().withMailboxFromConfig(CountingMailbox.CONFIG));
    }

    /**
     * Ends this member with the actor that does its work: what is left would look like a member and do nothing.
     *
     * @param ending whether it is to end
     */
    void guard(ActorRef<?> work, BooleanSupplier ending) {
        spawn(
                Behaviors.<Void>setup(context -> {
                    context.watch(work);
                    return Behaviors.receive(Void.class)
                            .onSignal(Terminated.class, ended -> {
                                if (!ending.getAsBoolean()) {
                                    LOG.error(
                                            "{} has stopped, and with it this member",
                                            work.path().name());
                                    system.terminate();
                                }
                                return Behaviors.stopped();
                            })
                            .build();
                }),
                "guard");
    }

    /** The coordinator, wherever it is; this member may have to host it if it runs points. */
    ActorRef<Coordinator.Command> coordinator() {
        return ClusterSingleton.get(system)
                .init(SingletonActor.of(Coordinator.create(settings.patience().silence()), Coordinator.NAME)
                        .withSettings(ClusterSingletonSettings.create(system).withRole(WORKER))
                        .withProps(Props.empty().withMailboxFromConfig(CountingMailbox.CONFIG)));
    }

    /** As the others know this member. */
    HostPort address() {
        Address self = Cluster.get(system).selfMember().address();
        return new HostPort(self.getHost().get(), (Integer) self.getPort().get());
    }

    static String address(Address address) {
        return address.getHost().orElse("?") + ":" + address.getPort().orElse(0);
    }

    /** Starts a cluster of one. */
    void seed() throws InterruptedException {
        join(List.of(address()));
    }

    /**
     * Looks for a member that belongs to a cluster among the seeds.
     *
     * @param patience how long to look
     * @param persistent whether to go on while nothing listens at any of the seeds
     * @return what the first one said; null when none was found
     * @throws IllegalStateException when a member runs another build, or what listens is no member
     */
    Greeter.@Nullable Greeting find(Duration patience, boolean persistent) throws InterruptedException {
        HostPort self = address();
        List<HostPort> others = new ArrayList<>(settings.seeds());
        others.remove(self);
        long beganNanos = System.nanoTime();
        long connectedNanos = 0;
        while (System.nanoTime() - beganNanos < patience.toNanos()) {
            List<HostPort> listening =
                    others.stream().filter(ClusterNode::listens).toList();
            for (HostPort seed : listening) {
                greet(pekkoAddress(seed).toString());
            }
            Greeter.Greeting greeting = greetings.poll(GREETING_EVERY.toMillis(), TimeUnit.MILLISECONDS);
            if (greeting != null) {
                String own = Build.current().toString();
                if (!greeting.build().equals(own)) {
                    throw new IllegalStateException(BuildCheck.mismatch(greeting.address(), greeting.build(), own));
                }
                if (greeting.joined()) {
                    refuseLoopback(HostPort.parse(greeting.address()));
                    return greeting;
                }
            } else {
                boolean listens = !listening.isEmpty();
                if (!listens
                        && !persistent
                        && System.nanoTime() - beganNanos
                                > settings.patience().contact().toNanos()) {
                    throw new IllegalStateException("nothing listens at " + words(others)
                            + "; start a member with: shardsim worker --seed --port "
                            + (others.isEmpty()
                                    ? ClusterSettings.DEFAULT_PORT
                                    : others.get(0).port()));
                }
                connectedNanos = !listens ? 0 : connectedNanos == 0 ? System.nanoTime() : connectedNanos;
                if (listens && System.nanoTime() - connectedNanos > SPEECHLESS.toNanos()) {
                    throw new IllegalStateException(
                            "something listens at " + words(others) + ", but no member of a cluster named "
                                    + settings.name() + " answers within " + SPEECHLESS.toSeconds()
                                    + " s; compare name and tls in the cluster files of both sides");
                }
            }
        }
        return null;
    }

    /** Where the others would look for this one on their own machines, or it for them. */
    private void refuseLoopback(HostPort found) {
        boolean elsewhere = !ClusterSettings.isLoopback(found.host());
        if (elsewhere == ClusterSettings.isLoopback(settings.host())) {
            throw new IllegalStateException(
                    elsewhere
                            ? "the members of the cluster at " + found + " could not reach this one at "
                                    + settings.host() + "; set --host to the name or address by which they reach it"
                            : "the member at " + found + " calls itself " + found.host()
                                    + " and can be reached from its own machine alone; start it again with --host");
        }
    }

    private Address pekkoAddress(HostPort place) {
        return new Address("pekko", settings.name(), place.host(), place.port());
    }

    private static boolean listens(HostPort place) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(place.host(), place.port()), CONNECT_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException refused) {
            return false;
        }
    }

    static String words(List<HostPort> places) {
        return String.join(" or ", places.stream().map(HostPort::toString).toList());
    }

    /**
     * Joins the cluster that a member belongs to, by way of another seed where that member is gone in the meantime; returns when this one is up.
     *
     * @throws IllegalStateException when it is refused, or takes too long
     */
    void join(HostPort found) throws InterruptedException {
        Set<HostPort> contacts = new LinkedHashSet<>();
        contacts.add(found);
        contacts.addAll(settings.seeds());
        // With itself among them it would start a cluster of its own.
        contacts.remove(address());
        join(List.copyOf(contacts));
    }

    private void join(List<HostPort> contacts) throws InterruptedException {
        CompletableFuture<Boolean> up = new CompletableFuture<>();
        ActorRef<SelfUp> subscriber = spawn(
                Behaviors.receive(SelfUp.class)
                        .onAnyMessage(joined -> {
                            up.complete(true);
                            return Behaviors.stopped();
                        })
                        .build(),
                "up");
        system.getWhenTerminated().thenRun(() -> up.complete(false));
        Cluster cluster = Cluster.get(system);
        cluster.subscriptions().tell(Subscribe.create(subscriber, SelfUp.class));
        cluster.manager()
                .tell(new JoinSeedNodes(
                        contacts.stream().map(this::pekkoAddress).toList()));
        try {
            if (!up.get(settings.patience().join().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "the cluster at " + words(contacts) + " refused this member; its log says why");
            }
        } catch (TimeoutException | ExecutionException late) {
            throw new IllegalStateException(
                    "the cluster at " + words(contacts) + " did not take this member in within "
                            + settings.patience().join().toSeconds()
                            + " s; a member that it cannot reach stands in the way until it is removed",
                    late);
        }
    }

    /** Tells of members that come, go, or cannot be reached. */
    void watchMembers(Consumer<String> notices) {
        spawn(Membership.create(notices), "membership");
    }

    /**
     * Leaves the cluster when every other voter has answered. While one of them is silent and not removed, this one's vote may be what keeps the
     * others a majority, and it would be gone before that one is removed. Of two members it is nobody's majority.
     */
    void leave() {
        ClusterSettings.Patience patience = settings.patience();
        awaitAnswers(patience.silence().plus(patience.removal()).plus(LEAVING));
        close();
    }

    /** Greets the other voters until each has answered or is no longer there, if they are several. */
    private void awaitAnswers(Duration patience) {
        Set<String> answered = new HashSet<>();
        greetings.clear();
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < patience.toNanos()) {
            List<Address> voters = otherVoters();
            List<Address> silent = voters.stream()
                    .filter(voter -> !answered.contains(address(voter)))
                    .toList();
            if (voters.size() < 2 || silent.isEmpty()) {
                return;
            }
            silent.forEach(voter -> greet(voter.toString()));
            try {
                Greeter.Greeting greeting = greetings.poll(GREETING_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                if (greeting != null) {
                    answered.add(greeting.address());
                }
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private List<Address> otherVoters() {
        Cluster cluster = Cluster.get(system);
        List<Address> voters = new ArrayList<>();
        for (Member member : cluster.state().getMembers()) {
            if (member.hasRole(VOTER)
                    && !member.address().equals(cluster.selfMember().address())) {
                voters.add(member.address());
            }
        }
        return voters;
    }

    private void greet(String address) {
        ActorSelection greeter = Adapter.toClassic(system).actorSelection(address + "/system/" + Greeter.NAME);
        greeter.tell(new Greeter.Greet(greetingsRef), org.apache.pekko.actor.ActorRef.noSender());
    }

    /** Leaves the cluster; returns when it has, or when that takes too long. */
    @Override
    public void close() {
        system.terminate();
        awaitEnd(LEAVING);
        gate.close();
    }

    private void awaitEnd(Duration patience) {
        try {
            system.getWhenTerminated().toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException late) {
            // The others remove it when they no longer hear it.
        }
    }
}
