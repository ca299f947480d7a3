import type { SpanRows } from "../rows/span-rows.ts";

/** What became of a trace export request. */
export interface TranscodeResult {
  /** The good spans. `bytes` is a view that the next request through the same transcoder overwrites. */
  readonly rows: SpanRows;
  /** Spans left out because their trace id or span id is empty or all zeros. */
  readonly rejectedSpans: number;
  /** Why spans were rejected, for the sender's developer; "" when none was. */
  readonly errorMessage: string;
}

export interface TranscoderOptions {
  /** Most bytes that the rows of one request may take: resources are written again for every span. 256 MiB. */
  readonly maxRowsBytes?: number;
}

const shownNameLength = 100;

/** Counts the spans of one request that are rejected alone, and says why. */
export class RejectedSpans {
  count = 0;
  #first = "";

  /** @param problem what the span has, such as "an empty trace id" */
  add(name: string, problem: string): void {
    if (this.count === 0) {
      const shown = name.length > shownNameLength ? `${name.slice(0, shownNameLength)}…` : name;
      this.#first = `span ${JSON.stringify(shown)} has ${problem}`;
    }
    this.count++;
  }

  get errorMessage(): string {
    if (this.count === 0) return "";
    if (this.count === 1) return `1 span rejected: ${this.#first}`;
    return `${this.count} spans rejected, the first because ${this.#first}`;
  }
}
