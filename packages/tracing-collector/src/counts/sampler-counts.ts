/**
 * Sampler types with their own label value; all others are `unrecognized`. Source: Jaeger 1.62, model/span.go
 */
const samplerTypes = ["const", "probabilistic", "ratelimiting", "lowerbound", "unrecognized"];
const unrecognizedIndex = 4;

/** Number of traces by sampler type, as plain numbers, because every request changes them. */
export class SamplerCounts {
  readonly #counts: number[] = [0, 0, 0, 0, 0];

  /** @param samplerType type in the span's tag */
  add(samplerType: string, count: number): void {
    const counts = this.#counts;
    const index = samplerTypes.indexOf(samplerType);
    const slot = index < 0 ? unrecognizedIndex : index;
    counts[slot] = (counts[slot] ?? 0) + count;
  }

  addAll(other: SamplerCounts): void {
    const counts = this.#counts;
    for (let index = 0; index < counts.length; index++) {
      counts[index] = (counts[index] ?? 0) + (other.#counts[index] ?? 0);
    }
  }

  /** Types with at least one trace, with their number. */
  *[Symbol.iterator](): Iterator<[samplerType: string, count: number], void> {
    for (const [index, type] of samplerTypes.entries()) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) {
        yield [type, count];
      }
    }
  }
}
