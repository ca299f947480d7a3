import { useSyncExternalStore } from "react";

/** The limit of the style sheets for telephones; both must agree. */
const narrow = window.matchMedia("(width < 600px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a telephone. Listens to the window as long as the component is shown. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
