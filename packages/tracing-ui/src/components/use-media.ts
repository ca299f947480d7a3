import { useCallback, useSyncExternalStore } from "react";

/**
 * True while the window matches a media query; updated when that changes. Listens to the window as long
 * as the component is shown.
 * @param query `(width < 760px)`
 */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
