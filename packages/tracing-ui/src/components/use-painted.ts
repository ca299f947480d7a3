import { startTransition, useEffect, useState } from "react";

/**
 * The value once a page that shows it has been painted; undefined before. For work that the first sight of
 * the page must not wait for. A new value, or the end of the component, cancels a pending one.
 */
export function usePainted<T>(value: T): T | undefined {
  const [painted, setPainted] = useState<T>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A frame's callbacks run before it is painted; a timer of the frame runs after.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(() => value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value]);
  return painted;
}
