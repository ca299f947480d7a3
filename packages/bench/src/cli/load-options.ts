import type { IngestOptions, NamedPid } from "../e2e/ingest.ts";
import type { SpanStore } from "../e2e/measure/span-store.ts";
import type { Arguments, OptionSpecs } from "./arguments.ts";

/** Options of every command that sends a load. */
export const loadOptions = {
  rate: { value: "N", text: "spans a second; 0: as fast as answers come", fallback: "0" },
  batch: { value: "N", text: "spans in each request", fallback: "100" },
  concurrency: { value: "N", text: "clients, each with one request under way", fallback: "8" },
  connections: { value: "N", text: "gRPC connections that the clients share", fallback: "2" },
  gzip: { text: "compress requests" },
  seed: { value: "N", text: "what the spans look like; their ids are always new", fallback: "1" },
  timeout: {
    value: "TIME",
    text: "a request without an answer after so long is sent again",
    fallback: "10s",
  },
  stall: {
    value: "TIME",
    text: "end when nothing was accepted for so long, or the store has not grown for so long",
    fallback: "30s",
  },
  optimize: {
    text: "also give bytes a span after OPTIMIZE TABLE tracing.spans FINAL (slow on large stores)",
  },
  json: { text: "print the report as JSON" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/** The settings that differ between the runs of one command. */
export interface Run {
  readonly protocol: "grpc" | "http";
  readonly endpoint: string;
  readonly durationMs?: number;
  readonly totalSpans?: number;
  readonly processes: readonly NamedPid[];
  readonly store: SpanStore | undefined;
}

/** Reads the options. @returns a function that makes the options of `ingest` for a run */
export function loadSettings(args: Arguments<keyof typeof loadOptions>): (run: Run) => IngestOptions {
  const concurrency = args.integer("concurrency", 1, 10_000);
  const connections = args.integer("connections", 1, 1000);
  const stallMs = args.durationMs("stall");
  const rate = args.integer("rate", 0, 1e9);
  const common = {
    batchSpans: args.integer("batch", 1, 10_000),
    seed: args.integer("seed", 0, 2 ** 32 - 1),
    optimize: args.has("optimize"),
    storedStallMs: stallMs,
  };
  const transport = { gzip: args.has("gzip"), timeoutMs: args.durationMs("timeout") };
  const unlimited = Number.POSITIVE_INFINITY;
  return ({ protocol, endpoint, durationMs = unlimited, totalSpans = unlimited, processes, store }) => ({
    ...common,
    protocol,
    processes,
    store,
    exporter: {
      ...transport,
      endpoint,
      // A connection of HTTP/1.1 has only one request at a time.
      connections: protocol === "http" ? concurrency : Math.min(concurrency, connections),
    },
    plan: { rate, concurrency, stallMs, durationMs, totalSpans },
  });
}
