import { setFlagsFromString } from "node:v8";

/**
 * Has V8 leave its optimizing compiler alone, in all threads: what a start does once is not worth compiling twice, and 5 MiB
 * of the compiler's own code would be read for it, and stay. A start takes no longer without; V8's quick compilers go on.
 */
export function restOptimizingCompiler(): void {
  setFlagsFromString("--no-opt");
}

/** Lets V8 optimize what runs often, as it does by itself: requests are to be answered. */
export function useOptimizingCompiler(): void {
  setFlagsFromString("--opt");
}
