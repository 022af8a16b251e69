package io.shardsim.simulator.kernel;

import java.util.List;

/** The totals of all devices at one instant. */
final class Totals {
    private final long[] values;

    private Totals(long[] values) {
        this.values = values;
    }

    static Totals of(List<? extends DeviceState> devices) {
        long[] values =
                new long[devices.stream().mapToInt(DeviceState::totalsCount).sum()];
        int next = 0;
        for (DeviceState device : devices) {
            for (int i = 0; i < device.totalsCount(); i++) {
                values[next++] = device.total(i);
            }
        }
        return new Totals(values);
    }

    /** Adds to the devices' totals, so many times, what they have grown by since earlier ones. */
    void addGrowth(Totals earlier, long times, List<? extends DeviceState> devices) {
        int next = 0;
        for (DeviceState device : devices) {
            for (int i = 0; i < device.totalsCount(); i++, next++) {
                device.addToTotal(i, Math.multiplyExact(values[next] - earlier.values[next], times));
            }
        }
    }
}
