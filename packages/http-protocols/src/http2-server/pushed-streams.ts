import type { FrameWriter } from "../http2/frame-writer.ts";
import { settingIds } from "../http2/frames.ts";
import type { HpackEncoder } from "../http2/hpack-encoder.ts";
import { addFields } from "../http2/sent-fields.ts";
import type { PromisedRequest } from "./promised-request.ts";

/** Pushed streams at once in a connection, where the client allows more. */
const maxOpen = 100;
/** A client that cancels this many more pushes than it accepts gets no more; it may have them cached. */
const maxRefused = 100;
/** While so much waits for a client that does not read, nothing is promised. */
const maxUnsentBytes = 64 * 1024;
const maxStreamId = 0x7fff_fffe;

/**
 * The streams that the server opens on one connection: whether there may be more, and their promises.
 * Source: RFC 9113, sections 5.1.1, 6.6 and 8.4
 */
export class PushedStreams {
  readonly #writer: FrameWriter;
  readonly #encoder: HpackEncoder;
  #isAllowed = true;
  #clientMax = Number.POSITIVE_INFINITY;
  #open = 0;
  #refused = 0;
  #lastId = 0;

  constructor(writer: FrameWriter, encoder: HpackEncoder) {
    this.#writer = writer;
    this.#encoder = encoder;
  }

  /** How many are open. */
  get size(): number {
    return this.#open;
  }

  /** Whether one more may be promised now. */
  get hasRoom(): boolean {
    return (
      this.#isAllowed &&
      this.#open < Math.min(maxOpen, this.#clientMax) &&
      this.#refused < maxRefused &&
      this.#lastId < maxStreamId &&
      this.#writer.unsentBytes < maxUnsentBytes
    );
  }

  /** The client's limits, from its SETTINGS. */
  apply(settings: ReadonlyMap<number, number>): void {
    const enable = settings.get(settingIds.enablePush);
    if (enable !== undefined) {
      this.#isAllowed = enable === 1;
    }
    this.#clientMax = settings.get(settingIds.maxConcurrentStreams) ?? this.#clientMax;
  }

  /** Whether a stream of this number was ever promised. */
  isPromised(streamId: number): boolean {
    return streamId % 2 === 0 && streamId !== 0 && streamId <= this.#lastId;
  }

  /** Sends the promise, which counts as an open stream from now on. @returns the number of the promised stream */
  promise(parentId: number, { head, scheme }: PromisedRequest): number {
    this.#lastId += 2;
    this.#open++;
    const encoder = this.#encoder;
    encoder.begin();
    encoder.add(":method", head.method);
    encoder.add(":scheme", scheme);
    encoder.add(":authority", head.authority);
    encoder.add(":path", head.target);
    addFields(encoder, head.headers);
    this.#writer.pushPromise(parentId, this.#lastId, encoder.end());
    return this.#lastId;
  }

  /** A promised stream has ended, in any way. */
  ended(): void {
    this.#open--;
  }

  /** The response of one went out whole. */
  taken(): void {
    this.#refused = Math.max(0, this.#refused - 1);
  }

  /** The client broke one off. */
  refused(): void {
    this.#refused++;
  }
}
