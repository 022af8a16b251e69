package io.shardsim.scenarios.app;

import io.shardsim.scenarios.cli.ExitStatus;
import io.shardsim.scenarios.cli.Services;
import io.shardsim.scenarios.cli.ShardsimCommand;
import io.shardsim.scenarios.demo.Demo;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ReportFiles;

/** Where the program starts. */
public final class Main {
    /** Below, a JVM collects garbage for most of its time before the first run begins. Measured with the smallest runs [bytes]. */
    private static final long HEAP_MIN = 40L << 20;

    private Main() {}

    public static void main(String[] arguments) {
        String problem = FurtherPlaces.problem(System.getenv("SHARDSIM_CLASSPATH"));
        if (problem != null) {
            System.err.println("shardsim: " + problem);
            System.exit(ExitStatus.USAGE);
        }
        if (Runtime.getRuntime().maxMemory() < HEAP_MIN) {
            System.err.println("shardsim: a heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB is too small; set SHARDSIM_JAVA_OPTS=-Xmx48m at least");
            System.exit(ExitStatus.USAGE);
        }
        System.exit(ShardsimCommand.run(arguments, services()));
    }

    /** What the commands are given: an engine that simulates, reports as files, the teaching page. */
    public static Services services() {
        return new Services(PointSimulation::new, new ReportFiles(), Main::demo);
    }

    /** The teaching page of a scenario. */
    public static Demo demo(DemoScenario scenario, int threads) {
        PointSimulation simulation = new PointSimulation(threads, true);
        return new Demo(scenario, simulation::run, PointSimulation::fits, threads);
    }
}
