import { useSyncExternalStore } from "react";
import { askServer } from "./ask-server.ts";
import { readMetrics } from "./read-metrics.ts";
import { emptyTraffic, type Reading, type Traffic, withReading } from "./traffic-window.ts";

/** Between two readings, in milliseconds. */
const everyMs = 2_000;
const wanted = new Set([
  "server_http_responses_total",
  "server_http_requests_in_flight",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
]);

let traffic: Traffic = emptyTraffic;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

async function read(): Promise<void> {
  let next: Reading | undefined;
  try {
    const response = await askServer("/metrics");
    next = { atMs: Date.now(), samples: readMetrics(await response.text(), wanted) };
  } catch {
    // The gap in the curves says it; the page says why.
  }
  traffic = withReading(traffic, next);
  for (const listener of listeners) {
    listener();
  }
}

/** Reads the server's metrics from now on, as long as the page is open. */
export function startTraffic(): void {
  const again = () => {
    void read().finally(() => {
      timer = setTimeout(again, everyMs);
    });
  };
  if (timer === undefined) {
    again();
  }
}

/** Requests a second over the last minutes, by server of the config; kept in this page alone. */
export function useTraffic(): Traffic {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => traffic,
  );
}
