import { useCallback, useSyncExternalStore } from "react";

/**
 * Whether the window is as a media query says, now and whenever it changes. Listens to the window as long
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
