import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's young heap at its initial size of 1 MiB, in all threads, including threads that start later. A start
 * creates much garbage once: by default V8 would grow the heap many times and keep it large.
 */
export function keepYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Allows the young heap to grow to each thread's limit again, because a larger heap makes traffic cheaper. */
export function growYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
