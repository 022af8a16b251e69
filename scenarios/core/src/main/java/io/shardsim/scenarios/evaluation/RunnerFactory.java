package io.shardsim.scenarios.evaluation;

/** Makes the runner when there is something to run, so that help, catalog and errors never wait for an actor system. */
@FunctionalInterface
public interface RunnerFactory {
    ScenarioRunner create(RunOptions options);
}
