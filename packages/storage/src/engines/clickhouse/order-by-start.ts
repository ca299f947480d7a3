import { nextTurn } from "../../api/next-turn.ts";

/** Number of elements that are sorted in one turn of the event loop, which takes some milliseconds. */
const runLength = 8_192;

/** Number of elements that are merged before the event loop gets a turn. */
const mergedLength = 65_536;

/** Start times of spans, each as two numbers: numbers compare faster than bigints. */
export class SpanStarts {
  readonly #high: number[] = [];
  readonly #low: number[] = [];

  get length(): number {
    return this.#high.length;
  }

  /** @param high upper 32 bits, signed @param low lower 32 bits, unsigned */
  add(high: number, low: number): void {
    this.#high.push(high);
    this.#low.push(low);
  }

  /**
   * Positions of the starts, ordered by time. Spans with equal starts keep their order. Yields to the event loop,
   * because sorting a million starts takes seconds.
   */
  async inOrder(): Promise<Uint32Array> {
    let order = Uint32Array.from({ length: this.length }, (_, index) => index);
    for (let start = 0; start < order.length; start += runLength) {
      order.subarray(start, start + runLength).sort((one, other) => this.#compare(one, other));
      if (order.length > runLength) {
        await nextTurn();
      }
    }
    let merged = new Uint32Array(order.length > runLength ? order.length : 0);
    for (let width = runLength; width < order.length; width *= 2) {
      let sinceTurn = 0;
      for (let start = 0; start < order.length; start += 2 * width) {
        let [left, right, to] = [start, start + width, start];
        const [leftEnd, end] = [Math.min(right, order.length), Math.min(start + 2 * width, order.length)];
        while (to < end) {
          const one = order[left] as number;
          const other = order[right] as number;
          const takesLeft = right >= end || (left < leftEnd && this.#compare(one, other) <= 0);
          merged[to++] = takesLeft ? one : other;
          if (takesLeft) {
            left++;
          } else {
            right++;
          }
          if (++sinceTurn >= mergedLength) {
            sinceTurn = 0;
            await nextTurn();
          }
        }
      }
      [order, merged] = [merged, order];
    }
    return order;
  }

  /** True when both positions have the same start. */
  areEqual(one: number, other: number): boolean {
    return this.#high[one] === this.#high[other] && this.#low[one] === this.#low[other];
  }

  #compare(one: number, other: number): number {
    const high = (this.#high[one] as number) - (this.#high[other] as number);
    return high === 0 ? (this.#low[one] as number) - (this.#low[other] as number) : high;
  }
}
