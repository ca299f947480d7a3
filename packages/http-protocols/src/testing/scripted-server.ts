import { Duplex } from "node:stream";
import { FrameReader } from "../http2/frame-reader.ts";
import { clientPreface, encodeFrame, encodeSettings, frameFlags, frameTypes } from "../http2/frames.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { HpackEncoder } from "../http2/hpack-encoder.ts";

/** A frame that a client sent. Header blocks are decoded. */
export interface SentFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** The fields of a header block. */
  readonly fields?: readonly string[];
}

/** The client's end of a connection in memory, whose server says what a test tells it to say. */
export class ScriptedServer extends Duplex {
  /** Frames that the client sent, besides its first SETTINGS and WINDOW_UPDATE. */
  readonly frames: SentFrame[] = [];
  /** Settings of the client, as bytes. */
  firstSettings: Buffer | undefined;
  /** The server reads: set to false, it takes no more. */
  reads = true;
  readonly #encoder = new HpackEncoder();
  readonly #decoder = new HpackDecoder({ maxListBytes: 1_000_000 });
  readonly #reader = new FrameReader(
    {
      frame: (type, flags, streamId, payload) => this.#take(type, flags, streamId, Buffer.from(payload)),
    },
    clientPreface,
  );
  #stuck: (() => void) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.destroyed) {
      done();
      return;
    }
    this.#reader.push(chunk);
    if (this.reads) {
      done();
    } else {
      this.#stuck = done;
    }
  }

  override _final(done: () => void): void {
    done();
  }

  /** Reads on. */
  readOn(): void {
    this.reads = true;
    this.#stuck?.();
    this.#stuck = undefined;
  }

  /** Says something. Settings come first. */
  say(...frames: readonly Uint8Array[]): void {
    this.push(Buffer.concat(frames));
  }

  begin(settings: ReadonlyMap<number, number> = new Map()): void {
    this.say(encodeSettings(settings));
  }

  /** Makes HEADERS with fields, as name, value, … */
  headers(streamId: number, fields: readonly string[], endsStream = false): Buffer {
    this.#encoder.begin();
    for (let index = 0; index < fields.length; index += 2) {
      this.#encoder.add(fields[index] as string, fields[index + 1] as string);
    }
    const flags = frameFlags.endHeaders | (endsStream ? frameFlags.endStream : 0);
    return encodeFrame(frameTypes.headers, flags, streamId, this.#encoder.end());
  }

  data(streamId: number, text: string | Uint8Array, endsStream = false): Buffer {
    const flags = endsStream ? frameFlags.endStream : 0;
    return encodeFrame(frameTypes.data, flags, streamId, Buffer.from(text));
  }

  /** Frames of a type that the client sent. */
  of(type: number): SentFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  #take(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (type === frameTypes.settings && this.firstSettings === undefined) {
      this.firstSettings = payload;
      return;
    }
    if (type !== frameTypes.headers) {
      this.frames.push({ type, flags, streamId, payload });
      return;
    }
    const fields = this.#decoder.decode(payload).flatMap(({ name, value }) => [name, value]);
    this.frames.push({ type, flags, streamId, payload, fields });
  }
}
