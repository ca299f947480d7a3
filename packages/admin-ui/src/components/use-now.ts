import { useSyncExternalStore } from "react";

let now = Date.now();

function subscribe(listener: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    listener();
  }, 1_000);
  return () => clearInterval(timer);
}

/** The time, in milliseconds since 1970, each second anew. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
