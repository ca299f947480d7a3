import { RowScanner, type SpanRows } from "wire/rows";
import { keepRows } from "./keep-rows.ts";
import type { RowStep } from "./row-step.ts";
import { ProbabilityWriter } from "./state-probability.ts";
import { TraceIdHash } from "./trace-id-hash.ts";

/** Used when `--downsampling.hashsalt` is empty. */
const builtInSalt = "downsampling-default-salt";
const maxHash = 2n ** 64n - 1n;

export interface DownsamplingObserver {
  /** Called for each batch with the numbers of spans that are kept and dropped. */
  downsampled(kept: number, dropped: number): void;
}

export interface DownsamplingSettings {
  /** Share of traces to keep, 0 to 1. */
  readonly ratio: number;
  /** Salt of the hash; "" for the built-in one. */
  readonly salt: string;
  /** True: kept spans get the ratio in their `tracestate`. Default: false. */
  readonly statesProbability?: boolean;
}

/**
 * Keeps a share of all traces. A trace is kept when its hash of salt and trace id is at most `ratio` of the hash's
 * range. Collectors with the same salt make the same decisions.
 *
 * Source: Jaeger 1.62, storage/spanstore/downsampling_writer.go
 */
export class TraceDownsampling implements RowStep {
  readonly #hash: TraceIdHash;
  readonly #thresholdHigh: number;
  readonly #thresholdLow: number;
  readonly #observer: DownsamplingObserver;
  readonly #scanner = new RowScanner();
  readonly #ratio: number;
  readonly #probabilities: ProbabilityWriter | undefined;

  constructor(
    { ratio, salt, statesProbability = false }: DownsamplingSettings,
    observer: DownsamplingObserver,
  ) {
    this.#ratio = ratio;
    this.#probabilities = statesProbability ? new ProbabilityWriter() : undefined;
    this.#hash = new TraceIdHash(salt || builtInSalt);
    const threshold = hashThreshold(ratio);
    this.#thresholdHigh = Number(threshold >> 32n);
    this.#thresholdLow = Number(threshold & 0xffff_ffffn);
    this.#observer = observer;
  }

  apply(rows: SpanRows): SpanRows {
    const kept = keepRows(rows, this.#scanner, (scanner) => this.keeps(scanner.bytes, scanner.traceIdAt));
    this.#observer.downsampled(kept.count, rows.count - kept.count);
    return this.#probabilities === undefined || kept.count === 0
      ? kept
      : this.#probabilities.write(kept, this.#scanner, () => this.#ratio);
  }

  /** True when the trace whose 16-byte id is at `at` is kept. */
  keeps(bytes: Uint8Array, at: number): boolean {
    const hash = this.#hash;
    hash.update(bytes, at);
    return (
      hash.high < this.#thresholdHigh || (hash.high === this.#thresholdHigh && hash.low <= this.#thresholdLow)
    );
  }
}

/**
 * The largest hash that is kept: `ratio` times 2^64-1. It is rounded to 64 significant bits (half to even)
 * and then truncated, as Go's `big.Float` of 64 bits does.
 */
export function hashThreshold(ratio: number): bigint {
  if (ratio <= 0) {
    return 0n;
  }
  if (ratio >= 1) {
    return maxHash;
  }
  // Finds mantissa and scale with ratio = mantissa * 2^-scale, exactly.
  let scale = 0;
  let mantissa = ratio;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    scale++;
  }
  let product = maxHash * BigInt(mantissa);
  const cut = product.toString(2).length - 64;
  if (cut > 0) {
    const half = 1n << BigInt(cut - 1);
    const rest = product & (2n * half - 1n);
    product >>= BigInt(cut);
    if (rest > half || (rest === half && (product & 1n) === 1n)) {
      product++;
    }
    product <<= BigInt(cut);
  }
  return product >> BigInt(scale);
}
