import type { Batch } from "./batch-template.ts";
import { encodeBatch } from "./encode-batch.ts";
import { planSpans } from "./plan-spans.ts";
import { Random } from "./random.ts";

/** Number of different encoded batches; texts that are not unique by themselves repeat after this many sends. */
const templateCount = 64;

/** An endless supply of export requests: realistic, each fresh, and cheap because nothing is encoded while sending. */
export class Corpus {
  readonly batchSpans: number;
  readonly #templates;
  readonly #random: Random;
  readonly #batchBytes: number;
  /** Memory of batches that were given back. */
  readonly #free: Buffer[] = [];
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
    this.#batchBytes = Math.max(...this.#templates.map(({ messageBytes }) => messageBytes));
    this.#random = new Random(idSeed);
  }

  /**
   * The next request, with fresh ids and with times just before now.
   * @param nowMs milliseconds since the Unix epoch
   */
  next(nowMs = Date.now()): Batch {
    const template = this.#templates[this.#next++ % templateCount]!;
    return template.stamp(this.#random, nowMs, this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#batchBytes));
  }

  /**
   * Takes a batch's memory for another one. Whoever sends many should give them back: memory outside of the heap, a batch
   * each, has the garbage collector mark the whole heap again and again.
   * @param batch nobody may look at it any more
   */
  giveBack({ message }: Batch): void {
    this.#free.push(Buffer.from(message.buffer));
  }
}
