import { setFlagsFromString } from "node:v8";

/**
 * Disables V8's optimizing compiler in all threads during the start. Code that runs once is not worth optimizing, and
 * the compiler itself would occupy 5 MiB of memory. The start does not take longer, because V8's fast compilers still
 * run.
 */
export function restOptimizingCompiler(): void {
  setFlagsFromString("--no-opt");
}

/** Enables the optimizing compiler again, after the start; it is enabled by default. */
export function useOptimizingCompiler(): void {
  setFlagsFromString("--opt");
}
