import { Counter as CounterClass, Gauge as GaugeClass } from "@prometheus-io/client";

/**
 * A metric that only rises. It is a constant, because the build loses names that are re-exported from an npm package.
 */
export const Counter = CounterClass;
export type Counter<Label extends string = string> = CounterClass<Label>;

/** A metric that rises and falls. */
export const Gauge = GaugeClass;
export type Gauge<Label extends string = string> = GaugeClass<Label>;
