import type { Batch } from "./batch-template.ts";
import { encodeBatch } from "./encode-batch.ts";
import { planSpans } from "./plan-spans.ts";
import { Random } from "./random.ts";

/** Number of different encoded batches; texts that are not unique repeat after this many sends. */
const templateCount = 64;

/**
 * An endless supply of export requests: realistic, each with new ids, and cheap, because nothing is encoded while
 * sending.
 */
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
   * @param shapeSeed seed of the number and kinds of spans, and of their texts; it gives the same spans on every machine
   * @param idSeed seed of ids and unique texts; a new run against a used store needs a new seed
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
   * The next request, with new ids, and with times shortly before now.
   * @param nowMs milliseconds since the Unix epoch
   */
  next(nowMs = Date.now()): Batch {
    const template = this.#templates[this.#next++ % templateCount]!;
    return template.stamp(this.#random, nowMs, this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#batchBytes));
  }

  /**
   * Allows another batch to use the memory of this one. Callers that send many batches should call this: many buffers
   * outside of the heap make the garbage collector mark the whole heap again and again.
   * @param batch must not be used afterwards
   */
  giveBack({ message }: Batch): void {
    this.#free.push(Buffer.from(message.buffer));
  }
}
