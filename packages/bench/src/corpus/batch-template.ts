import { messagePrefixBytes, writeMessagePrefix } from "http-protocols/grpc-client";
import type { PlannedSpan } from "./plan-spans.ts";
import type { Piece } from "./proto-piece.ts";
import type { Random } from "./random.ts";

/** One export request, ready to send, with unique ids and times. */
export interface Batch {
  /** The request behind gRPC's prefix of a message that is not compressed. */
  readonly message: Buffer;
  /** OTLP `ExportTraceServiceRequest`, which is the message without its prefix. */
  readonly body: Buffer;
  readonly spanCount: number;
  /** Index in `body` of the trace id of the batch's first span. */
  readonly traceIdAt: number;
}

interface SpanMark {
  readonly at: number;
  /** Number of the span whose id or time is written at this position. */
  readonly span: number;
}

/** Traces end at most this many milliseconds before they are sent. */
const spreadMs = 1000;
/**
 * Times are counted from this many milliseconds before now; this must be longer than spread and longest trace together.
 */
const lookBackMs = 60_000;

/**
 * An encoded batch of spans. Each send writes new ids, times and unique texts into it, and leaves the rest unchanged.
 */
export class BatchTemplate {
  readonly #bytes: Buffer;
  readonly #spans: readonly PlannedSpan[];
  readonly #traceIds: SpanMark[] = [];
  readonly #spanIds: SpanMark[] = [];
  readonly #times: { readonly at: number; readonly trace: number; readonly afterTraceNs: number }[] = [];
  readonly #uniqueTexts: { readonly at: number; readonly digits: number }[] = [];
  /** Duration of each trace: from its start to the end of its last span, in nanoseconds. */
  readonly #traceNs: number[] = [];

  /** @param encoded the request; span numbers in its slots are indices of `spans`. */
  constructor(encoded: Piece, spans: readonly PlannedSpan[]) {
    this.#bytes = encoded.bytes;
    this.#spans = spans;
    for (const { slot, at } of encoded.marks) {
      if (slot.kind === "uniqueText") {
        this.#uniqueTexts.push({ at, digits: slot.digits });
        continue;
      }
      const { trace, parent, startNs, durationNs } = spans[slot.span]!;
      if (slot.kind === "traceId") {
        this.#traceIds.push({ at, span: slot.span });
      }
      if (slot.kind === "spanId") {
        this.#spanIds.push({ at, span: slot.span });
      }
      if (slot.kind === "parentSpanId") {
        this.#spanIds.push({ at, span: parent });
      }
      if (slot.kind === "time") {
        this.#times.push({ at, trace, afterTraceNs: startNs + durationNs * slot.part });
      }
    }
    for (const { trace, startNs, durationNs } of spans) {
      this.#traceNs[trace] = Math.max(this.#traceNs[trace] ?? 0, startNs + durationNs);
    }
  }

  /** Bytes of `message`: the length prefix and the batch. */
  get messageBytes(): number {
    return messagePrefixBytes + this.#bytes.length;
  }

  /**
   * A copy with new ids, times and unique texts. All traces end before now; the planned duration of each trace is
   * multiplied by a random factor.
   * @param nowMs milliseconds since the Unix epoch
   * @param target at least `messageBytes` long; the batch uses a part of this memory
   */
  stamp(random: Random, nowMs: number, target: Buffer): Batch {
    const message = target.subarray(0, this.messageBytes);
    writeMessagePrefix(message, this.#bytes.length);
    const body = message.subarray(messagePrefixBytes);
    this.#bytes.copy(body);
    this.#writeIds(body, random);
    this.#writeTimes(body, random, Math.floor(nowMs) - lookBackMs);
    for (const { at, digits } of this.#uniqueTexts) {
      writeHex(body, at, digits, random);
    }
    return { message, body, spanCount: this.#spans.length, traceIdAt: this.#traceIds[0]!.at };
  }

  #writeIds(body: Buffer, random: Random): void {
    const traceIds = randomWords(this.#traceNs.length * 4, random);
    const spanIds = randomWords(this.#spans.length * 2, random);
    for (const { at, span } of this.#traceIds) {
      const first = this.#spans[span]!.trace * 4;
      for (let word = 0; word < 4; word++) {
        body.writeUInt32LE(traceIds[first + word]!, at + word * 4);
      }
    }
    for (const { at, span } of this.#spanIds) {
      body.writeUInt32LE(spanIds[span * 2]!, at);
      body.writeUInt32LE(spanIds[span * 2 + 1]!, at + 4);
    }
  }

  #writeTimes(body: Buffer, random: Random, baseMs: number): void {
    const stretches = this.#traceNs.map(() => 0.5 + random.unit());
    const traceStarts = this.#traceNs.map((lengthNs, trace) =>
      Math.floor((lookBackMs - random.unit() * spreadMs) * 1e6 - lengthNs * stretches[trace]!),
    );
    // A JavaScript number cannot hold nanoseconds since 1970 exactly, so the two halves are added separately.
    const base = BigInt(baseMs) * 1_000_000n;
    const baseLow = Number(base & 0xffff_ffffn);
    const baseHigh = Number(base >> 32n);
    for (const { at, trace, afterTraceNs } of this.#times) {
      const low = baseLow + traceStarts[trace]! + Math.floor(afterTraceNs * stretches[trace]!);
      const carry = Math.floor(low / 0x1_0000_0000);
      body.writeUInt32LE(low - carry * 0x1_0000_0000, at);
      body.writeUInt32LE(baseHigh + carry, at + 4);
    }
  }
}

function randomWords(count: number, random: Random): Uint32Array {
  const words = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    words[index] = random.uint32();
  }
  return words;
}

const hexDigits = Buffer.from("0123456789abcdef");

function writeHex(body: Buffer, at: number, digits: number, random: Random): void {
  let bits = 0;
  for (let digit = 0; digit < digits; digit++) {
    if (digit % 8 === 0) {
      bits = random.uint32();
    }
    body[at + digit] = hexDigits[bits & 15]!;
    bits >>>= 4;
  }
}
