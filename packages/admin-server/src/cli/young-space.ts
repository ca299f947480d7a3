import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's young heap at its initial size, 1 MiB in each thread, also in later threads. A
 * start makes much garbage once: with V8's own ways the room would grow for it to many times that, and stay so.
 */
export function keepYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Lets the young heap grow up to each thread's limit, as V8 does by default, because traffic is cheaper with
 * a larger one.
 */
export function growYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
