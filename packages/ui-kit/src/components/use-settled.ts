import { useEffect, useState } from "react";

/** Milliseconds without typing before the value is used. Otherwise each letter would send a request to the server. */
const pauseMs = 150;

/**
 * The value after it has stayed the same for `pauseMs`; the first value at once. A change restarts the timer;
 * leaving the page ends the timer.
 */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
