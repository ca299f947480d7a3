import type { LoadResult } from "./load/run-load.ts";

/** Result of one measured run; `--json` prints it unchanged. Times in seconds and milliseconds, sizes in bytes. */
export interface IngestReport {
  readonly protocol: "grpc" | "http";
  readonly endpoint: string;
  readonly load: LoadResult;
  /** Acknowledged spans per second, from the first call to the last acknowledgement. */
  readonly acceptedPerSecond: number;
  /** Undefined when no store was given. */
  readonly stored: StoredReport | undefined;
  /** The processes under test, in the order given. */
  readonly processes: readonly ProcessReport[];
  /** Usage of this program: when it needs a whole core, the generator limits the run. */
  readonly generator: ProcessReport;
  readonly disk: DiskReport | undefined;
  /** Number of cores, and the load averages (1 minute) before and after the run. */
  readonly machine: { readonly cores: number; readonly loadBefore: number; readonly loadAfter: number };
}

export interface StoredReport {
  /** Spans of this run that were found in the store. */
  readonly spans: number;
  /** Acknowledged spans that were not found, so they are lost. When the number is above 0, the run has failed. */
  readonly missing: number;
  /** Found spans beyond the acknowledged ones: from calls without an answer, stored twice, or from another sender. */
  readonly surplus: number;
  /** Seconds from the last acknowledgement until the last span was found. */
  readonly waitedSeconds: number;
  readonly perSecond: number;
}

export interface ProcessReport {
  readonly name: string;
  /** Processor seconds from the first call until all spans were found in the store. */
  readonly cpuSeconds: number;
  /** Per stored span when a store was given; otherwise, and for the generator, per accepted span. */
  readonly cpuSecondsPerMillionSpans: number | undefined;
  readonly rssPeakBytes: number;
}

export interface DiskReport {
  /** Disk bytes of the table of spans, divided by all spans in the store. */
  readonly bytesPerSpan: number;
  /** Disk bytes including summaries and indexes in other tables. */
  readonly allBytesPerSpan: number;
  /** Value after `OPTIMIZE … FINAL`; undefined unless requested. */
  readonly optimizedBytesPerSpan: number | undefined;
}

/** True when acknowledged spans were lost. */
export function lostSpans({ stored }: IngestReport): boolean {
  return stored !== undefined && stored.missing > 0;
}
