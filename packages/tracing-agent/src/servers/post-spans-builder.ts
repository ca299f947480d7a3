import { messagePrefixBytes, writeMessagePrefix } from "http-protocols/grpc-client";
import type { AgentBatch } from "wire/agent";
import { freeBuffer } from "./free-buffer.ts";
import { RequestBuffers } from "./request-buffers.ts";

/** A call to the collector. */
export interface PostSpansCall {
  /** A `PostSpansRequest` with gRPC's prefix. */
  readonly request: Buffer;
  readonly spanCount: number;
  /** To be called when the request was written or dropped, so that its bytes can be reused. */
  release(): void;
}

/** Field 1 of PostSpansRequest is the batch, field 2 of Batch is the process, and field 2 of Process is a tag. */
const field1 = 0x0a;
const field2 = 0x12;

/**
 * First size of the buffer for spans, enough for an average call. The same buffer is reused unless it grew beyond
 * `maxKeptBytes`.
 */
const smallestBytes = 65_536;
const maxKeptBytes = 262_144;

interface Group {
  readonly process: Buffer;
  /** Begin and end of the group's spans, alternating. Spans that lie next to each other are one piece. */
  readonly pieces: number[];
  spanBytes: number;
  spanCount: number;
}

/**
 * Joins the spans of packets into requests: one request for all packets of a process, in the order of arrival. The
 * agent's tags follow the process's tags. Clients send many small packets, and a separate call for each packet would
 * cost more than its spans.
 */
export class PostSpansBuilder {
  readonly #agentTags: Buffer;
  readonly #buffers = new RequestBuffers();
  readonly #groups = new Map<string, Group>();
  /** The spans of all groups in the order of their arrival. */
  #spans = Buffer.allocUnsafeSlow(smallestBytes);
  #end = 0;
  #last: Group | undefined;

  /** @param agentTags bytes of `processTagFields` */
  constructor(agentTags: Buffer) {
    this.#agentTags = agentTags;
  }

  /** @param batch its spans are copied */
  add({ process, spans, spanCount }: AgentBatch): void {
    const group = this.#groupOf(process);
    const start = this.#end;
    const end = start + spans.length;
    if (end > this.#spans.length) {
      this.#grow(end);
    }
    this.#spans.set(spans, start);
    this.#end = end;
    const { pieces } = group;
    if (pieces[pieces.length - 1] === start) {
      pieces[pieces.length - 1] = end;
    } else {
      pieces.push(start, end);
    }
    group.spanBytes += spans.length;
    group.spanCount += spanCount;
  }

  /** Returns the requests for all added spans. The builder is empty afterwards. */
  take(): PostSpansCall[] {
    const calls = [...this.#groups.values()].map((group) => this.#glue(group));
    this.#groups.clear();
    this.#last = undefined;
    this.#end = 0;
    if (this.#spans.length > maxKeptBytes) {
      freeBuffer(this.#spans);
      this.#spans = Buffer.allocUnsafeSlow(smallestBytes);
    }
    return calls;
  }

  #grow(least: number): void {
    const old = this.#spans;
    this.#spans = Buffer.allocUnsafeSlow(Math.max(least, old.length * 2));
    this.#spans.set(old);
    freeBuffer(old);
  }

  #groupOf(process: Buffer): Group {
    const last = this.#last;
    if (last !== undefined && (last.process === process || last.process.equals(process))) {
      return last;
    }
    const key = process.toString("latin1");
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { process, pieces: [], spanBytes: 0, spanCount: 0 };
      this.#groups.set(key, group);
    }
    this.#last = group;
    return group;
  }

  #glue({ process, pieces, spanBytes, spanCount }: Group): PostSpansCall {
    const processBytes = process.length + this.#agentTags.length;
    const batchBytes = spanBytes + 1 + varintBytes(processBytes) + processBytes;
    const messageBytes = 1 + varintBytes(batchBytes) + batchBytes;
    const buffer = this.#buffers.take(messagePrefixBytes + messageBytes);
    const request = buffer.subarray(0, messagePrefixBytes + messageBytes);
    writeMessagePrefix(request, messageBytes);
    request[messagePrefixBytes] = field1;
    let at = writeVarint(request, messagePrefixBytes + 1, batchBytes);
    for (let index = 0; index < pieces.length; index += 2) {
      at += this.#spans.copy(request, at, pieces[index], pieces[index + 1]);
    }
    request[at] = field2;
    at = writeVarint(request, at + 1, processBytes);
    request.set(process, at);
    request.set(this.#agentTags, at + process.length);
    return { request, spanCount, release: () => this.#buffers.giveBack(buffer) };
  }
}

/** Text tags in the form of a `Process` message. */
export function processTagFields(tags: readonly (readonly [key: string, value: string])[]): Buffer {
  return Buffer.concat(
    tags.map(([key, value]) => {
      // KeyValue has the key in field 1 and the text in field 3; the type of a text is 0, which is not written.
      const tag = Buffer.concat([
        lengthDelimited(field1, Buffer.from(key)),
        lengthDelimited(0x1a, Buffer.from(value)),
      ]);
      return lengthDelimited(field2, tag);
    }),
  );
}

function lengthDelimited(fieldTag: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(1 + varintBytes(bytes.length));
  head[0] = fieldTag;
  writeVarint(head, 1, bytes.length);
  return Buffer.concat([head, bytes]);
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest >>>= 7) {
    bytes++;
  }
  return bytes;
}

/** @returns the index after the varint */
function writeVarint(target: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 128; rest >>>= 7) {
    target[at++] = (rest & 127) | 128;
  }
  target[at++] = rest;
  return at;
}
