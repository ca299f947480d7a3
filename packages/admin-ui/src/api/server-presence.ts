import { useSyncExternalStore } from "react";

/** Callbacks of all that show whether the server is there. */
const listeners = new Set<() => void>();
/** Time of the first request without an answer, in milliseconds since 1970; undefined after an answer. */
let goneSinceMs: number | undefined;

/**
 * Notes that a request was answered, or that nobody answered. `askServer` calls it after each request.
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

/** Calls back when the server is gone or is back. @returns a function that ends it */
export function onPresence(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Since when nobody answers, in milliseconds since 1970; undefined while somebody does. */
export function serverGoneSince(): number | undefined {
  return goneSinceMs;
}

/** As {@link serverGoneSince}, kept up to date. */
export function useServerGoneSince(): number | undefined {
  return useSyncExternalStore(onPresence, serverGoneSince);
}
