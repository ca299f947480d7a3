import { RowScanner, type SpanRows } from "wire/rows";

const scanner = new RowScanner();

/**
 * The series of a tenant in one day: different sets of service, span name and kind. Each has rates and durations of its
 * own in the store. A series is kept as 52 bits of a hash: of a million series, less than one is taken for another.
 */
export class SeriesOfDay {
  readonly #known = new Set<number>();

  get size(): number {
    return this.#known.size;
  }

  /** The series of these rows that were not sent today. */
  newOf(rows: SpanRows): Set<number> {
    const found = new Set<number>();
    scanner.open(rows);
    while (scanner.next()) {
      const series = hashOf(scanner);
      if (!this.#known.has(series)) {
        found.add(series);
      }
    }
    return found;
  }

  add(series: Iterable<number>): void {
    for (const one of series) {
      this.#known.add(one);
    }
  }

  /** Forgets series of a request that was not stored. */
  remove(series: Iterable<number>): void {
    for (const one of series) {
      this.#known.delete(one);
    }
  }
}

/** An FNV-1a hash and a hash with other constants, of 26 bits each. */
function hashOf({ bytes, serviceStart, serviceEnd, nameStart, nameEnd, kind }: RowScanner): number {
  let [one, other] = [0x811c9dc5 ^ kind, 0x9747b28c ^ kind];
  const mix = (byte: number) => {
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b);
    other ^= other >>> 13;
  };
  for (let at = serviceStart; at < serviceEnd; at++) {
    mix(bytes[at] as number);
  }
  // No text of UTF-8 has this byte, so "a" with "bc" is not "ab" with "c".
  mix(0xff);
  for (let at = nameStart; at < nameEnd; at++) {
    mix(bytes[at] as number);
  }
  return (one >>> 6) * 0x4000000 + (other >>> 6);
}
