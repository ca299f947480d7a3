import type { ModuleContext } from "server-core/modules/module-context";

/**
 * Counts the turns of a policy over all threads. A counter in each thread would be fair only within its thread, because
 * connections are not spread evenly over threads.
 * @returns function that takes the next turn, starting at 1
 * @throws ServerError SHARED_FULL
 */
export function takeTurns(context: ModuleContext): () => number {
  const counter = context.shared.counter(`http.reverse_proxy.turns${context.path}`);
  return () => counter.add(1);
}
