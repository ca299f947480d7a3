import { countOfProbability, countOfTraceState, probabilityInTags } from "../../model/adjusted-count.ts";
import type { RowScanner } from "../row-scanner.ts";

/** Text that all tags of samplers contain. In a span without it, the tags need not be read. */
const inSamplerTags = Buffer.from("sampl");

/**
 * Computes the number of original spans behind a row, like `adjustedCount` of `wire/model`, without decoding the row.
 */
export class SampledCounts {
  readonly #bytes: Buffer;
  /** Position of the first `inSamplerTags` at or after the last searched position. */
  #nextTag = -1;

  /** @param bytes rows, which must be passed to `of` in their order */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @param scanner its present row is used @returns 0 when the number is unknown */
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
