import type { FrameWriter } from "../http2/frame-writer.ts";
import { settingIds } from "../http2/frames.ts";
import type { HpackEncoder } from "../http2/hpack-encoder.ts";
import { addFields } from "../http2/sent-fields.ts";
import type { PromisedRequest } from "./promised-request.ts";

/** Maximum number of open pushed streams in a connection, if the client does not set a lower limit. */
const maxOpen = 100;
/**
 * Cancelled minus accepted pushes. At the limit, nothing is pushed, because the client may have the responses in its
 * cache.
 */
const maxRefused = 100;
/**
 * Maximum number of bytes of unsent data. Above this limit, nothing is promised, because the client reads too slowly.
 */
const maxUnsentBytes = 64 * 1024;
const maxStreamId = 0x7fff_fffe;

/**
 * The streams that the server opens on one connection: their limits and promises.
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

  /** Number of open pushed streams. */
  get size(): number {
    return this.#open;
  }

  /** True when one more stream may be promised now. */
  get hasRoom(): boolean {
    return (
      this.#isAllowed &&
      this.#open < Math.min(maxOpen, this.#clientMax) &&
      this.#refused < maxRefused &&
      this.#lastId < maxStreamId &&
      this.#writer.unsentBytes < maxUnsentBytes
    );
  }

  /** Applies the limits from the client's SETTINGS. */
  apply(settings: ReadonlyMap<number, number>): void {
    const enable = settings.get(settingIds.enablePush);
    if (enable !== undefined) {
      this.#isAllowed = enable === 1;
    }
    this.#clientMax = settings.get(settingIds.maxConcurrentStreams) ?? this.#clientMax;
  }

  /** True when a stream with this ID was ever promised. */
  isPromised(streamId: number): boolean {
    return streamId % 2 === 0 && streamId !== 0 && streamId <= this.#lastId;
  }

  /** Sends the promise, which counts as an open stream from now on. @returns the ID of the promised stream */
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

  /** Called when a promised stream has ended, for any reason. */
  ended(): void {
    this.#open--;
  }

  /** Called when the whole response of a promised stream was sent. */
  taken(): void {
    this.#refused = Math.max(0, this.#refused - 1);
  }

  /** Called when the client has cancelled a promised stream. */
  refused(): void {
    this.#refused++;
  }
}
