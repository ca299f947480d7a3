import { Duplex } from "node:stream";
import { contain } from "../body/contained-stream.ts";
import type { BodySource } from "./h2-body.ts";

/** The stream below a tunnel. */
export interface TunnelStream extends BodySource {
  /** Sends bytes to the client. @returns false when the client is slow: continue after `onceDrain` */
  sendRaw(chunk: Buffer): boolean;
  /** Calls back once the peer's window lets more bytes through. */
  onceDrain(callback: () => void): void;
  /** Ends the sending side. @param sent called when the frame with the end is being sent, or the stream is closed */
  endRaw(sent: () => void): void;
  /** Called when the tunnel is destroyed: cuts the stream, and drops queued bytes. */
  cancel(): void;
}

/** The raw bytes of a stream that left HTTP by an extended CONNECT, in both directions. Source: RFC 8441 */
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
