package io.shardsim.scenarios.evaluation;

/** Creates the runner on demand, so that help, catalog and errors never wait for an actor system. */
@FunctionalInterface
public interface RunnerFactory {
    ScenarioRunner create(RunOptions options);
}
