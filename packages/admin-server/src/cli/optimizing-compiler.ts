import { setFlagsFromString } from "node:v8";

/**
 * Disables V8's optimizing compiler in all threads during the start. Code that runs once is not worth optimizing, and
 * the compiler's own 5 MiB of code would stay in memory. The start takes no longer, because V8's quick compilers still
 * run.
 */
export function restOptimizingCompiler(): void {
  setFlagsFromString("--no-opt");
}

/** Enables the optimizing compiler again, as by default, before requests are answered. */
export function useOptimizingCompiler(): void {
  setFlagsFromString("--opt");
}
