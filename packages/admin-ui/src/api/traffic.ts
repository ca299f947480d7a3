import { useSyncExternalStore } from "react";
import { askServer } from "./ask-server.ts";
import { readMetrics } from "./read-metrics.ts";
import { emptyTraffic, type Reading, type Traffic, withReading } from "./traffic-window.ts";

/** From the end of one reading to the next, in milliseconds. The window's four minutes follow from it. */
const everyMs = 2_000;
/** Metrics that the pages show; all others of the answer are skipped. */
const wanted = new Set([
  "server_http_responses_total",
  "server_http_requests_in_flight",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
]);

/** The window, shared by all pages: it goes on while the user looks at another page. */
let traffic: Traffic = emptyTraffic;
/** Set once the readings have begun. */
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Takes one reading and tells the pages, also when it failed. */
async function read(): Promise<void> {
  let next: Reading | undefined;
  try {
    const response = await askServer("/metrics");
    next = { atMs: Date.now(), samples: readMetrics(await response.text(), wanted) };
  } catch {
    // The curves show a gap; the page shows the reason.
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

/**
 * Requests a second over the last minutes, by server of the config. Only this page keeps them: a reload
 * begins again.
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
