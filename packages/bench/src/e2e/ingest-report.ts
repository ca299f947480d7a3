import type { LoadResult } from "./load/run-load.ts";

/** Result of one measured run; `--json` prints it unchanged. Times in seconds and milliseconds, sizes in bytes. */
export interface IngestReport {
  readonly protocol: "grpc" | "http";
  readonly endpoint: string;
  readonly load: LoadResult;
  /** Acknowledged spans a second, from the first call to the last acknowledgement. */
  readonly acceptedPerSecond: number;
  /** Undefined when no store was given. */
  readonly stored: StoredReport | undefined;
  /** The processes under test, in the order given. */
  readonly processes: readonly ProcessReport[];
  /** This program: when it needs a whole core, it is what limits the run. */
  readonly generator: ProcessReport;
  readonly disk: DiskReport | undefined;
  /** Processor cores, and the load averages (1 minute) before and after the run. */
  readonly machine: { readonly cores: number; readonly loadBefore: number; readonly loadAfter: number };
}

export interface StoredReport {
  /** Spans of this run in the store. */
  readonly spans: number;
  /** Acknowledged and not found: lost. Above 0 the run has failed. */
  readonly missing: number;
  /** Found beyond those acknowledged: from calls that ended without an answer, stored twice, or another sender's. */
  readonly surplus: number;
  /** Until the last was found, after the last acknowledgement. */
  readonly waitedSeconds: number;
  readonly perSecond: number;
}

export interface ProcessReport {
  readonly name: string;
  /** From the first call until all spans were found in the store. */
  readonly cpuSeconds: number;
  /** By stored spans when a store was given, otherwise (and for the generator) by accepted ones. */
  readonly cpuSecondsPerMillionSpans: number | undefined;
  readonly rssPeakBytes: number;
}

export interface DiskReport {
  /** Disk bytes of the spans themselves, divided by all spans in the store. */
  readonly bytesPerSpan: number;
  /** With summaries and indexes in tables of their own. */
  readonly allBytesPerSpan: number;
  /** After `OPTIMIZE … FINAL`, when asked for. */
  readonly optimizedBytesPerSpan: number | undefined;
}

/** Acknowledged spans were lost. */
export function lostSpans({ stored }: IngestReport): boolean {
  return stored !== undefined && stored.missing > 0;
}
