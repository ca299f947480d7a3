import { setFlagsFromString } from "node:v8";

/**
 * Turns off V8's optimizing compiler in all threads during the start. Code that runs once is not worth
 * optimizing, and the compiler's own 5 MiB of code would stay in memory. The start takes no longer, because
 * V8's quick compilers still run.
 */
export function restOptimizingCompiler(): void {
  setFlagsFromString("--no-opt");
}

/** Lets V8 optimize hot code again, as it does by default, before requests are answered. */
export function useOptimizingCompiler(): void {
  setFlagsFromString("--opt");
}
