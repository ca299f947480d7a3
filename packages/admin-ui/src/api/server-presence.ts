import { useSyncExternalStore } from "react";

/** Callbacks of components that show whether the server answers. */
const listeners = new Set<() => void>();
/** Time of the first request without an answer, in milliseconds since 1970; undefined after an answer. */
let goneSinceMs: number | undefined;

/**
 * Notes that a request was answered, or failed without an answer. `askServer` calls it after each request.
 * Listeners hear of changes only.
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

/** Calls back when the server disappears or returns. @returns a function that unsubscribes */
export function onPresence(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Start of the outage, in milliseconds since 1970; undefined while the server answers. */
export function serverGoneSince(): number | undefined {
  return goneSinceMs;
}

/** Hook for {@link serverGoneSince}, kept up to date. */
export function useServerGoneSince(): number | undefined {
  return useSyncExternalStore(onPresence, serverGoneSince);
}
