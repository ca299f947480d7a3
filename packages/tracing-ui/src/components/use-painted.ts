import { startTransition, useEffect, useState } from "react";

/**
 * Returns the newest value that has been painted; undefined before the first paint. It is for work that must not
 * delay the first paint. A new value, or unmounting, cancels the pending update.
 */
export function usePainted<T>(value: T): T | undefined {
  const [painted, setPainted] = useState<T>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Callbacks of an animation frame run before the paint; a timer set inside runs after the paint.
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
