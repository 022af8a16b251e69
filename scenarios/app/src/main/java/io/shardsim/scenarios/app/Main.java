package io.shardsim.scenarios.app;

import io.shardsim.scenarios.cli.ExitStatus;
import io.shardsim.scenarios.cli.Services;
import io.shardsim.scenarios.cli.ShardsimCommand;
import io.shardsim.scenarios.demo.Demo;
import io.shardsim.scenarios.demo.DemoScenario;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ReportFiles;

/** Entry point of the program. */
public final class Main {
    /** Minimum heap; below it, a JVM mostly collects garbage before the first run starts. Measured with the smallest runs [bytes]. */
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

    /** Returns the services of commands: a simulation engine, report files, the teaching page. */
    public static Services services() {
        return new Services(PointSimulation::new, new ReportFiles(), Main::demo);
    }

    /** Returns the teaching page of a scenario. */
    public static Demo demo(DemoScenario scenario, int threads) {
        PointSimulation simulation = new PointSimulation(threads, true);
        return new Demo(scenario, simulation::run, PointSimulation::fits, threads);
    }
}
