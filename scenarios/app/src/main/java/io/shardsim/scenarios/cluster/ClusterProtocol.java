package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.cluster.wire.WireTypes;
import io.shardsim.simulator.observation.PartObservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;

/** Every message between members. */
final class ClusterProtocol {
    private static final List<Class<?>> CONTENTS = List.of(Question.class, Answer.class, PartObservation.class);

    private ClusterProtocol() {}

    /** Returns the message types that actors of different members exchange. */
    static List<Class<?>> messages() {
        return Stream.of(Coordinator.Command.class, Member.Command.class, SweepClient.Command.class, DoorMessage.class)
                .flatMap(vocabulary -> Stream.of(vocabulary.getPermittedSubclasses()))
                .filter(WireMessage.class::isAssignableFrom)
                .collect(Collectors.toList());
    }

    static String fingerprint() {
        List<Class<?>> all = new ArrayList<>(messages());
        all.addAll(CONTENTS);
        return WireTypes.fingerprint(WireTypes.reachableFrom(all, Set.of(ActorRef.class)));
    }

    /** Returns a codec for messages, with actor references as addresses. */
    static WireCodec messageCodec(ActorSystem<?> system) {
        ActorRefResolver resolver = ActorRefResolver.get(system);
        return WireCodec.withText(
                messages(), ActorRef.class, resolver::toSerializationFormat, resolver::resolveActorRef);
    }

    /** Returns a codec for questions and answers, which contain no references. */
    static WireCodec contentCodec() {
        return new WireCodec(CONTENTS);
    }
}
