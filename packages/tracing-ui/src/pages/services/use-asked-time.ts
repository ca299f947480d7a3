import { useEffect, useState } from "react";

const minuteMs = 60_000;

/** The end of the newest whole minute, milliseconds since 1970: the store counts by minute. Moves on by itself. */
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
