import type { Batch } from "./batch-template.ts";
import { encodeBatch } from "./encode-batch.ts";
import { planSpans } from "./plan-spans.ts";
import { Random } from "./random.ts";

/** So many different batches are encoded; texts that are not unique by themselves repeat after so many sends. */
const templateCount = 64;

/** An endless supply of export requests: realistic, each fresh, and cheap because nothing is encoded while sending. */
export class Corpus {
  readonly batchSpans: number;
  readonly #templates;
  readonly #random: Random;
  #next = 0;

  /**
   * @param batchSpans spans in each request, 1 to 10,000
   * @param shapeSeed what the spans look like; the same seed gives the same texts and sizes everywhere
   * @param idSeed what ids and unique texts come from; a new run against an old store needs a new one
   */
  constructor(batchSpans: number, shapeSeed: number, idSeed: number) {
    this.batchSpans = batchSpans;
    const shapes = new Random(shapeSeed);
    this.#templates = Array.from({ length: templateCount }, () =>
      encodeBatch(planSpans(shapes, batchSpans), shapes),
    );
    this.#random = new Random(idSeed);
  }

  /**
   * The next request, with fresh ids and with times just before now.
   * @param nowMs milliseconds since the Unix epoch
   */
  next(nowMs = Date.now()): Batch {
    const template = this.#templates[this.#next++ % templateCount]!;
    return template.stamp(this.#random, nowMs);
  }
}
