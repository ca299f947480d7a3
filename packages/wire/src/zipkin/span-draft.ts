import { SpanMends } from "../rows/span-mends.ts";
import { TagList } from "./tag-list.ts";

/** An endpoint of a Zipkin v2 span, as the reader found it in the message. */
export class EndpointDraft {
  /** Position of the service name in the message. */
  serviceStart = 0;
  serviceEnd = 0;
  /** IPv4 address as text; "" when there is none. */
  ipv4 = "";
  ipv6 = "";
  port = 0;

  clear(): void {
    this.serviceStart = 0;
    this.serviceEnd = 0;
    this.ipv4 = "";
    this.ipv6 = "";
    this.port = 0;
  }

  /** The address that Jaeger shows: IPv6 if present, otherwise IPv4. */
  get ip(): string {
    return this.ipv6 === "" ? this.ipv4 : this.ipv6;
  }
}

/**
 * One Zipkin v2 span, from JSON or protobuf, after reading and before writing: positions in the bytes of the message,
 * and a few numbers. A transcoder uses one draft for all spans.
 */
export class SpanDraft {
  /** The bytes to which all positions refer: UTF-8, checked by the reader. */
  bytes: Buffer = Buffer.alloc(0);
  /** A view of the same memory as `bytes`. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Trace id (16 bytes), span id (8 bytes), parent's id (8 bytes, zeros when there is no parent). */
  readonly ids = Buffer.alloc(32);
  nameStart = 0;
  nameEnd = 0;
  /** Index in `spanKinds`. */
  kind = 0;
  /**
   * True when the span has a timestamp. The next two fields have the halves of the timestamp: microseconds since the
   * epoch, low and high 32 bits.
   */
  hasTimestamp = false;
  timestampLow = 0;
  timestampHigh = 0;
  /** Duration in microseconds, in 32-bit halves. */
  durationLow = 0;
  durationHigh = 0;
  readonly local = new EndpointDraft();
  readonly remote = new EndpointDraft();
  readonly tags = new TagList();
  annotationCount = 0;
  /** Four numbers for each annotation: low and high half of its time in microseconds, start and end of its text. */
  annotations = new Int32Array(64);
  /** Warnings about faults that the reader repaired. */
  readonly mends = new SpanMends();
  /** Position for the next repaired text, after a copy of the message; 0 before the first repair. */
  #free = 0;

  open(bytes: Uint8Array): void {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.tags.bytes = this.bytes;
    this.#free = 0;
  }

  /**
   * Replaces bytes that are not UTF-8 in the message's text `[start, end)` by U+FFFD.
   * @returns start of the repaired text; `mendedEnd` is its end
   */
  mendText(start: number, end: number): number {
    const text = this.bytes.toString("utf8", start, end);
    if (this.#free === 0) {
      this.#free = this.bytes.length;
      // A repaired byte needs at most three bytes.
      const copy = Buffer.allocUnsafeSlow(this.bytes.length * 4);
      copy.set(this.bytes);
      this.bytes = copy;
      this.view = new DataView(copy.buffer, copy.byteOffset, copy.byteLength);
      this.tags.bytes = copy;
    }
    const at = this.#free;
    this.#free += this.bytes.write(text, at);
    return at;
  }

  get mendedEnd(): number {
    return this.#free;
  }

  get name(): string {
    return this.bytes.toString("utf8", this.nameStart, this.nameEnd);
  }

  get hasTraceId(): boolean {
    return !isZero(this.ids, 0, 16);
  }

  get hasSpanId(): boolean {
    return !isZero(this.ids, 16, 24);
  }

  clear(): void {
    this.ids.fill(0);
    this.mends.clear();
    this.nameStart = 0;
    this.nameEnd = 0;
    this.kind = 0;
    this.hasTimestamp = false;
    this.timestampLow = 0;
    this.timestampHigh = 0;
    this.durationLow = 0;
    this.durationHigh = 0;
    this.local.clear();
    this.remote.clear();
    this.tags.clear();
    this.annotationCount = 0;
    if (this.annotations.length > 16_384) {
      this.annotations = new Int32Array(64);
    }
  }

  addAnnotation(timeLow: number, timeHigh: number, start: number, end: number): void {
    const at = this.annotationCount++ * 4;
    if (at === this.annotations.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.annotations);
      this.annotations = grown;
    }
    this.annotations[at] = timeLow;
    this.annotations[at + 1] = timeHigh;
    this.annotations[at + 2] = start;
    this.annotations[at + 3] = end;
  }
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if (bytes[index] !== 0) {
      return false;
    }
  }
  return true;
}
