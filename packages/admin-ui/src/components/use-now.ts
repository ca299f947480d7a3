import { useSyncExternalStore } from "react";

/** The time of the last tick, shared by all components, so that adjacent texts agree. */
let now = Date.now();

function subscribe(listener: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    listener();
  }, 1_000);
  return () => clearInterval(timer);
}

/** The time in milliseconds since 1970. The component renders each second; its timer ends with the component. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
