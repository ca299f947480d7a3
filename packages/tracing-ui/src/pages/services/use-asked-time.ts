import { useEffect, useState } from "react";

/** Milliseconds of a minute, the step in which the store counts. */
const minuteMs = 60_000;

/**
 * The end of the newest whole minute, in milliseconds since 1970. The store counts by minute, so the same
 * minute gives the same request and the cached answer. Updated twice a minute while the page is shown.
 */
export function useAskedTime(): number {
  const [now, setNow] = useState(wholeMinute);
  useEffect(() => {
    const timer = setInterval(() => setNow(wholeMinute), minuteMs / 2);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function wholeMinute(): number {
  return Math.floor(Date.now() / minuteMs) * minuteMs;
}
