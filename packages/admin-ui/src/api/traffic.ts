import { useSyncExternalStore } from "react";
import { askServer } from "./ask-server.ts";
import { readMetrics } from "./read-metrics.ts";
import { emptyTraffic, type Reading, type Traffic, withReading } from "./traffic-window.ts";

/** Milliseconds from the end of one reading to the next. The window's four minutes depend on this value. */
const everyMs = 2_000;
/** Metrics that the pages show; others are skipped. */
const wanted = new Set([
  "server_http_responses_total",
  "server_http_requests_in_flight",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
]);

/** The window, shared by all pages: it continues while the user views another page. */
let traffic: Traffic = emptyTraffic;
/** Timer of the readings; set once they have begun. */
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Takes one reading and notifies the pages, also after a failure. */
async function read(): Promise<void> {
  let next: Reading | undefined;
  try {
    const response = await askServer("/metrics");
    next = { atMs: Date.now(), samples: readMetrics(await response.text(), wanted) };
  } catch {
    // The curves show a gap, and the page shows the reason.
  }
  traffic = withReading(traffic, next);
  for (const listener of listeners) {
    listener();
  }
}

/** Starts to read the server's metrics; continues as long as the page is open. */
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

/**
 * Requests per second over the last minutes, by configured server. Only this page stores them: a reload starts again.
 */
export function useTraffic(): Traffic {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => traffic,
  );
}
