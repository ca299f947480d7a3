// Sends frames in tests: a client that may break every rule.

import { connect, type Socket } from "node:net";
import {
  clientPreface,
  encodeFrame,
  encodeHeaders,
  encodeSettings,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  type HeaderField,
  HpackDecoder,
} from "http-protocols/http2";

export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** Header fields of a call to the test's method. */
export function callFields(...more: HeaderField[]): HeaderField[] {
  return [
    { name: ":method", value: "POST" },
    { name: ":scheme", value: "http" },
    { name: ":path", value: "/test.Echo/Echo" },
    { name: ":authority", value: "localhost" },
    { name: "content-type", value: "application/grpc" },
    { name: "te", value: "trailers" },
    ...more,
  ];
}

export function headersFrame(streamId: number, fields: readonly HeaderField[], flags = 0): Buffer {
  return encodeFrame(frameTypes.headers, frameFlags.endHeaders | flags, streamId, encodeHeaders(fields));
}

/** A message with its prefix. */
export function grpcMessage(body: Uint8Array | string, flag = 0): Buffer {
  const bytes = Buffer.from(body as Uint8Array);
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

export function dataFrame(streamId: number, data: Uint8Array, flags: number = frameFlags.endStream): Buffer {
  return encodeFrame(frameTypes.data, flags, streamId, data);
}

/** One connection. */
export class RawClient {
  readonly socket: Socket;
  readonly frames: ReceivedFrame[] = [];
  readonly #hpack = new HpackDecoder({ maxListBytes: 1e6 });
  #bytes = Buffer.alloc(0);
  #isClosed = false;
  #onChange: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#onChange();
    });
  }

  /** With the preface and empty settings sent. */
  static begun(port: number, settings: ReadonlyMap<number, number> = new Map()): RawClient {
    const client = new RawClient(port);
    client.socket.write(Buffer.concat([clientPreface, encodeSettings(settings)]));
    return client;
  }

  send(...frames: Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** The first frame so far, or to come, that fits. @throws Error when the connection closes without one */
  async frame(fits: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) {
        return found;
      }
      if (this.#isClosed) {
        throw new Error("the connection closed without such a frame");
      }
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** The answer on a stream: all header fields, and its data. */
  async answer(streamId: number): Promise<{ fields: Record<string, string>; data: Buffer }> {
    await this.frame(
      ({ type, flags, streamId: id }) =>
        id === streamId && type !== frameTypes.rstStream && (flags & frameFlags.endStream) !== 0,
    );
    const own = this.frames.filter((frame) => frame.streamId === streamId);
    const fields: Record<string, string> = {};
    for (const { type, payload } of own) {
      if (type !== frameTypes.headers) {
        continue;
      }
      for (const { name, value } of this.#hpack.decode(payload)) {
        fields[name] = value;
      }
    }
    return {
      fields,
      data: Buffer.concat(own.filter(({ type }) => type === frameTypes.data).map(({ payload }) => payload)),
    };
  }

  /** The error code of RST_STREAM on a stream. */
  async resetCode(streamId: number): Promise<number> {
    const { payload } = await this.frame(
      ({ type, streamId: id }) => type === frameTypes.rstStream && id === streamId,
    );
    return payload.readUInt32BE(0);
  }

  /** The error code of GOAWAY. */
  async goAwayCode(): Promise<number> {
    const { payload } = await this.frame(({ type }) => type === frameTypes.goAway);
    return payload.readUInt32BE(4);
  }

  async closed(): Promise<void> {
    while (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  #receive(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length >= frameHeaderBytes) {
      const end = frameHeaderBytes + this.#bytes.readUIntBE(0, 3);
      if (this.#bytes.length < end) {
        break;
      }
      this.frames.push({
        type: this.#bytes[3] as number,
        flags: this.#bytes[4] as number,
        streamId: this.#bytes.readUInt32BE(5),
        payload: this.#bytes.subarray(frameHeaderBytes, end),
      });
      this.#bytes = this.#bytes.subarray(end);
    }
    this.#onChange();
  }
}
