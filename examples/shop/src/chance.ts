/** Numbers that look like chance, the same for the same seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** True once in so many. */
  oneIn(many: number): boolean {
    return this.next() < 1 / many;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** A duration in milliseconds: mostly near `typical`, now and then many times that. */
  latency(typical: number): number {
    const stretch = this.oneIn(40) ? 8 + this.next() * 12 : 0.5 + this.next();
    return typical * stretch;
  }
}
