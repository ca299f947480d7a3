import type { Exchange } from "./exchange.ts";
import type { HeaderList } from "./header-list.ts";
import type { HttpStream } from "./http-stream.ts";
import type { ResponseSink } from "./response-sink.ts";

/** The end of the way of a response: the client. */
export class WireSink implements ResponseSink {
  readonly #stream: HttpStream;
  readonly #exchange: Exchange;

  constructor(stream: HttpStream, exchange: Exchange) {
    this.#stream = stream;
    this.#exchange = exchange;
  }

  head(status: number, headers: HeaderList): void {
    this.#exchange.headPassed(status);
    if (status !== 101) {
      this.#stream.writeHead(status, headers);
    }
  }

  write(chunk: Uint8Array): boolean {
    this.#exchange.bytesWritten += chunk.length;
    return this.#stream.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    this.#exchange.bytesWritten += chunk?.length ?? 0;
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
