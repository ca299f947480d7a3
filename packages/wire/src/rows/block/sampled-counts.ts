import { countOfProbability, countOfTraceState, probabilityInTags } from "../../model/adjusted-count.ts";
import type { RowScanner } from "../row-scanner.ts";

/** Text that all tags of samplers contain. If a span does not contain this text, its tags need not be read. */
const inSamplerTags = Buffer.from("sampl");

/**
 * Computes the number of original spans that a row represents, like `adjustedCount` of `wire/model`, but without
 * decoding the row.
 */
export class SampledCounts {
  readonly #bytes: Buffer;
  /** Position of the first `inSamplerTags` that is not before the last searched position. */
  #nextTag = -1;

  /** @param bytes rows, which must be passed to `of` in the same order */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @param scanner scanner at the row @returns 0 for an unknown number */
  of(scanner: RowScanner): number {
    if (scanner.traceStateEnd > scanner.traceStateAt + 1) {
      const stated = countOfTraceState(scanner.traceStateText);
      if (stated !== undefined) {
        return stated;
      }
    }
    if (!scanner.isRoot || !this.#hasTag(scanner.attributesStart, scanner.attributesEnd)) {
      return 0;
    }
    const probability = probabilityInTags((key) => scanner.attributeText(key));
    return probability === undefined ? 0 : countOfProbability(probability);
  }

  #hasTag(start: number, end: number): boolean {
    if (this.#nextTag < start) {
      const found = this.#bytes.indexOf(inSamplerTags, start);
      this.#nextTag = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#nextTag < end;
  }
}
