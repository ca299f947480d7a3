import type { MetricSample } from "./read-metrics.ts";

/** Number of kept steps of two seconds each: four minutes. The table's heading mentions the four minutes. */
export const windowSteps = 120;

/** The server's counters at one time. */
export interface Reading {
  /** Milliseconds since 1970. */
  atMs: number;
  /** The needed metrics of the response. */
  samples: readonly MetricSample[];
}

/**
 * Rates of one configured server. Curves have `windowSteps` values, the newest last; null for unknown.
 */
export interface ServerTraffic {
  /** Responses per second. */
  requests: readonly (number | null)[];
  /** 5xx responses per second. */
  errors: readonly (number | null)[];
  /** Requests in progress. */
  inFlight: number;
}

/** The figures since the page was opened. */
export interface Traffic {
  /** True once a reading was attempted. */
  known: boolean;
  /** The newest reading; undefined before the first and after a failed one, so that no rate spans a gap. */
  last: Reading | undefined;
  /** Rates by name of the server in the config. */
  servers: ReadonlyMap<string, ServerTraffic>;
  /** Resident memory of the process, in bytes; undefined without the metric. */
  memoryBytes: number | undefined;
  /** Start of the process, in milliseconds since 1970; undefined when the server does not report it. */
  startedAtMs: number | undefined;
}

/** The state before the first reading. */
export const emptyTraffic: Traffic = {
  known: false,
  last: undefined,
  servers: new Map(),
  memoryBytes: undefined,
  startedAtMs: undefined,
};

/**
 * Advances the window by one step. A rate is the difference of two counters divided by the time between them. A counter
 * that decreased was reset by a restart, so its step is a gap.
 * @param reading undefined when the server did not respond: a gap
 */
export function withReading(before: Traffic, reading: Reading | undefined): Traffic {
  if (reading === undefined) {
    const servers = new Map<string, ServerTraffic>();
    for (const [name, server] of before.servers) {
      servers.set(name, { ...moved(server, null, null), inFlight: server.inFlight });
    }
    return { ...before, known: true, last: undefined, servers };
  }
  const seconds = before.last === undefined ? 0 : (reading.atMs - before.last.atMs) / 1_000;
  const servers = new Map<string, ServerTraffic>();
  for (const sample of reading.samples) {
    if (sample.name !== "server_http_requests_in_flight") {
      continue;
    }
    const name = sample.labels.server ?? "";
    const [now, then] = [answers(reading, name), answers(before.last, name)];
    const rate = (count: number, earlier: number) =>
      seconds <= 0 || count < earlier ? null : (count - earlier) / seconds;
    servers.set(name, {
      ...moved(before.servers.get(name), rate(now.all, then.all), rate(now.failed, then.failed)),
      inFlight: sample.value,
    });
  }
  const started = single(reading, "process_start_time_seconds");
  return {
    known: true,
    last: reading,
    servers,
    memoryBytes: single(reading, "process_resident_memory_bytes"),
    startedAtMs: started === undefined ? undefined : started * 1_000,
  };
}

/** Advances the curves by one step: drops the oldest value, and appends the new one. */
function moved(server: ServerTraffic | undefined, requests: number | null, errors: number | null) {
  const empty = Array.from({ length: windowSteps }, () => null);
  return {
    requests: [...(server?.requests ?? empty).slice(1), requests],
    errors: [...(server?.errors ?? empty).slice(1), errors],
  };
}

/** Responses of a server over all status classes, and the 5xx responses among them. */
function answers(reading: Reading | undefined, server: string): { all: number; failed: number } {
  let [all, failed] = [0, 0];
  for (const { name, labels, value } of reading?.samples ?? []) {
    if (name !== "server_http_responses_total" || labels.server !== server) {
      continue;
    }
    all += value;
    if (labels.class === "5xx") {
      failed += value;
    }
  }
  return { all, failed };
}

/** Value of a metric with one sample; undefined when it is missing. */
function single(reading: Reading, name: string): number | undefined {
  return reading.samples.find((sample) => sample.name === name)?.value;
}
