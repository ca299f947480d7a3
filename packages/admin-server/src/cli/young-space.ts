import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's young heap at its initial size, 1 MiB in each thread, also in later threads. A start creates much garbage
 * once: by default V8 would grow the heap many times and keep it large.
 */
export function keepYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Allows the young heap to grow up to each thread's limit, as by default, because a larger heap makes traffic cheaper.
 */
export function growYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
