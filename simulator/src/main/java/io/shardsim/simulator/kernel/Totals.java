package io.shardsim.simulator.kernel;

import java.util.List;

/** Totals of all devices at one instant. */
final class Totals {
    private final long[] values;

    private Totals(long[] values) {
        this.values = values;
    }

    static Totals of(List<? extends DeviceState> devices) {
        int count = 0;
        for (DeviceState device : devices) {
            count += device.totalsCount();
        }
        long[] values = new long[count];
        int next = 0;
        for (DeviceState device : devices) {
            device.copyTotals(values, next);
            next += device.totalsCount();
        }
        return new Totals(values);
    }

    /** Adds a multiple of the growth since earlier totals to the devices' totals. */
    void addGrowth(Totals earlier, long times, List<? extends DeviceState> devices) {
        long[] growth = new long[values.length];
        for (int i = 0; i < growth.length; i++) {
            growth[i] = Math.multiplyExact(values[i] - earlier.values[i], times);
        }
        int next = 0;
        for (DeviceState device : devices) {
            device.addToTotals(growth, next);
            next += device.totalsCount();
        }
    }
}
