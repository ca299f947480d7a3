import type { Transform } from "node:stream";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** A stream of node:zlib. */
export interface CompressStream extends Transform {
  /** Hands on what was written so far. */
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
  /** How a stream hands on all it has and keeps what it learned of the text; absent: as it does by itself. */
  readonly flushKind?: number;
}

/** Where `encode` finds its encoders. */
export const contentEncoders: ModuleNamespace<ContentEncoder> = { prefix: "http.encoders" };
