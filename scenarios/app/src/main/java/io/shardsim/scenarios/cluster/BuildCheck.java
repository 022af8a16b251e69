package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.cluster.ConfigValidation;
import org.apache.pekko.cluster.Invalid;
import org.apache.pekko.cluster.JoinConfigCompatChecker;
import org.apache.pekko.cluster.Valid;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Keeps members of another build out of the cluster; configured in {@code cluster.conf}. */
public final class BuildCheck extends JoinConfigCompatChecker {
    static final String KEY = "shardsim.build";

    @Override
    public Seq<String> requiredKeys() {
        return List$.MODULE$.from(CollectionConverters.asScala(List.of(KEY)));
    }

    @Override
    public ConfigValidation check(Config joining, Config own) {
        List<String> wrong = new ArrayList<>();
        String other = joining.hasPath(KEY) ? joining.getString(KEY) : "no shardsim";
        if (!other.equals(own.getString(KEY))) {
            wrong.add(mismatch("it", other, own.getString(KEY)));
        }
        return wrong.isEmpty()
                ? Valid.getInstance()
                : new Invalid(List$.MODULE$.from(CollectionConverters.asScala(wrong)));
    }

    static String mismatch(String who, String theirs, String own) {
        return who + " runs " + theirs + ", this is " + own + "; run the same build on every member";
    }
}
