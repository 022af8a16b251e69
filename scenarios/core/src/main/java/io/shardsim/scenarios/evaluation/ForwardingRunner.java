package io.shardsim.scenarios.evaluation;

/** A runner that delegates to another one. */
public abstract class ForwardingRunner implements ScenarioRunner {
    private final ScenarioRunner runner;

    protected ForwardingRunner(ScenarioRunner runner) {
        this.runner = runner;
    }

    /** Returns the runner that it delegates to. */
    protected final ScenarioRunner runner() {
        return runner;
    }

    @Override
    public String standing() {
        return runner.standing();
    }

    @Override
    public void close() {
        runner.close();
    }
}
