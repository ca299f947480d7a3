import { useSyncExternalStore } from "react";

/** The width limit of the style sheets for telephones; both must be equal. */
const narrow = window.matchMedia("(width < 600px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** True when the window is as narrow as a telephone. Updates the component on changes. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
