package io.shardsim.scenarios.evaluation;

/** A runner that has its points run by another, and stands and ends as that one does. */
public abstract class ForwardingRunner implements ScenarioRunner {
    private final ScenarioRunner runner;

    protected ForwardingRunner(ScenarioRunner runner) {
        this.runner = runner;
    }

    /** The one that runs the points. */
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
