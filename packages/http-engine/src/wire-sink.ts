import type { HeaderList } from "./header-list.ts";
import type { HttpStream } from "./http-stream.ts";
import type { ResponseSink } from "./response-sink.ts";

/** Counts the bytes that a response sends. */
interface SentCount {
  /** Bytes of the body that were handed to the stream, without framing. */
  bytesWritten: number;
  /** A head has left with this status. */
  headPassed(status: number): void;
}

/** The end of the way of a response: the client. */
export class WireSink implements ResponseSink {
  readonly #stream: HttpStream;
  readonly #sent: SentCount;

  constructor(stream: HttpStream, sent: SentCount) {
    this.#stream = stream;
    this.#sent = sent;
  }

  head(status: number, headers: HeaderList): void {
    this.#sent.headPassed(status);
    if (status !== 101) {
      this.#stream.writeHead(status, headers);
    }
  }

  write(chunk: Uint8Array): boolean {
    this.#sent.bytesWritten += chunk.length;
    return this.#stream.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    this.#sent.bytesWritten += chunk?.length ?? 0;
    this.#stream.end(chunk);
  }

  addTrailers(trailers: HeaderList): void {
    this.#stream.addTrailers(trailers);
  }

  flush(): void {
    this.#stream.flush();
  }

  onceDrain(callback: () => void): void {
    this.#stream.onceDrain(callback);
  }
}
