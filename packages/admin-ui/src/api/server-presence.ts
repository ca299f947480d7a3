import { useSyncExternalStore } from "react";

/** Callbacks of components that show whether the server answers. */
const listeners = new Set<() => void>();
/** Start of the outage, in milliseconds since 1970; undefined while the server responds. */
let goneSinceMs: number | undefined;

/**
 * Records that a request was answered, or failed without a response. `askServer` calls this after each request.
 * Listeners are called only for changes.
 */
export function notePresence(answers: boolean): void {
  const next = answers ? undefined : (goneSinceMs ?? Date.now());
  if (next === goneSinceMs) {
    return;
  }
  goneSinceMs = next;
  for (const listener of listeners) {
    listener();
  }
}

/** Calls back when the server becomes unreachable or reachable. @returns function that unsubscribes */
export function onPresence(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Start of the outage, in milliseconds since 1970; undefined while the server answers. */
export function serverGoneSince(): number | undefined {
  return goneSinceMs;
}

/** Hook for {@link serverGoneSince}; updates the component on changes. */
export function useServerGoneSince(): number | undefined {
  return useSyncExternalStore(onPresence, serverGoneSince);
}
