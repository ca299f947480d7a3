import type { ModuleContext } from "server-core/modules/module-context";

/**
 * Counts the requests that a policy has given away, in all threads together. A counter in each thread would only be fair
 * within that thread: connections, and with them requests, are not spread over threads in turn.
 * @returns takes the next turn, 1 and up
 * @throws ServerError SHARED_FULL
 */
export function takeTurns(context: ModuleContext): () => number {
  const counter = context.shared.counter(`http.reverse_proxy.turns${context.path}`);
  return () => counter.add(1);
}
