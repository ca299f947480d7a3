import { Duplex } from "node:stream";
import { contain } from "../body/contained-stream.ts";
import type { BodySource } from "./h2-body.ts";

/** The stream below a tunnel. */
export interface TunnelStream extends BodySource {
  /** @returns false when the client is slow: go on after `onceDrain` */
  sendRaw(chunk: Buffer): boolean;
  /** Calls back once the peer's window lets more bytes through. */
  onceDrain(callback: () => void): void;
  /** @param sent called when the end is on its way */
  endRaw(sent: () => void): void;
  /** The reader of the tunnel is gone: the stream ends without the rest. */
  cancel(): void;
}

/** A stream that left HTTP by an extended CONNECT: bytes both ways. Source: RFC 8441 */
export class H2Tunnel extends Duplex {
  readonly #stream: TunnelStream;
  bytesWritten = 0;

  constructor(stream: TunnelStream) {
    super({ allowHalfOpen: true });
    contain(this);
    this.#stream = stream;
  }

  override _read(): void {
    this.#stream.bodyWanted();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytesWritten += chunk.length;
    if (this.#stream.sendRaw(chunk)) {
      done();
    } else {
      this.#stream.onceDrain(done);
    }
  }

  override _final(done: () => void): void {
    this.#stream.endRaw(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream.cancel();
    done(error);
  }
}
