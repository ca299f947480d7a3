import { useEffect, useState } from "react";

/** How long somebody must not have typed, in milliseconds: each letter would be a question to the server. */
const pauseMs = 150;

/**
 * The value once it has stayed the same for `pauseMs`; the first one at once. A change restarts the timer;
 * leaving the page ends it.
 */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
