import type { Transform } from "node:stream";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** A stream of node:zlib. */
export interface CompressStream extends Transform {
  /** Outputs all data written so far. */
  flush(callback: () => void): void;
  flush(kind: number, callback: () => void): void;
}

/** A content coding that responses can be sent in. */
export interface ContentEncoder extends ModuleInstance {
  /** Name of the coding in `Accept-Encoding`. */
  readonly name: string;
  /** Name and settings: equal keys give equal bytes. */
  readonly key: string;
  /** Encodes a whole body in one call. */
  encode(bytes: Uint8Array): Buffer;
  /** Makes a stream for one response. */
  createStream(): CompressStream;
  /** zlib flush kind that outputs all data and keeps the dictionary; absent: the stream's default. */
  readonly flushKind?: number;
}

/** Namespace of the encoders in `encode`. */
export const contentEncoders: ModuleNamespace<ContentEncoder> = { prefix: "http.encoders" };
