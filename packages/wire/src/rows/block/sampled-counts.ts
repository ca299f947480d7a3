import { countOfProbability, countOfTraceState, probabilityInTags } from "../../model/adjusted-count.ts";
import type { RowScanner } from "../row-scanner.ts";

/** All tags of samplers contain it. A span without it needs no look at each tag. */
const inSamplerTags = Buffer.from("sampl");

/** The numbers of spans that rows stand for: `adjustedCount` of `wire/model`, for rows that are not decoded. */
export class SampledCounts {
  readonly #bytes: Buffer;
  /** The first place of `inSamplerTags` at or after the last place that was asked for. */
  #nextTag = -1;

  /** @param bytes rows, asked for in their order */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @param scanner has read the row @returns 0 when nothing tells it */
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
