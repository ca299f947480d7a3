import { getHeader, type HeaderList } from "./header-list.ts";
import type { HttpStream } from "./http-stream.ts";
import type { ResponseSink } from "./response-sink.ts";
import { sniffType } from "./sniffed-type.ts";

/** Settings and counts of one response; the exchange implements this interface. */
interface SentResponse {
  /** Bytes of the body that were passed to the stream, without framing. */
  bytesWritten: number;
  /** True: a missing type is derived from the first bytes. */
  readonly tellsType: boolean;
  /** Called when a head with this status is passed to the client. */
  headPassed(status: number): void;
}

/** True when a response needs a type and no handler has set one. */
function wantsType(status: number, headers: HeaderList): boolean {
  return (
    status >= 200 &&
    status !== 204 &&
    status !== 304 &&
    getHeader(headers, "content-type") === undefined &&
    (getHeader(headers, "content-encoding") ?? "") === ""
  );
}

/** The last sink of a response, which writes to the client. */
export class ResponseWriter implements ResponseSink {
  readonly #stream: HttpStream;
  readonly #sent: SentResponse;
  /** A head that waits for the first bytes of the body, which decide its type. */
  #waiting: { readonly status: number; readonly headers: HeaderList } | undefined;

  constructor(stream: HttpStream, sent: SentResponse) {
    this.#stream = stream;
    this.#sent = sent;
  }

  head(status: number, headers: HeaderList): void {
    this.#sent.headPassed(status);
    if (this.#sent.tellsType && wantsType(status, headers)) {
      this.#waiting = { status, headers };
    } else if (status !== 101) {
      this.#stream.writeHead(status, headers);
    }
  }

  write(chunk: Uint8Array): boolean {
    this.#sendHead(chunk);
    this.#sent.bytesWritten += chunk.length;
    return this.#stream.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    this.#sendHead(chunk ?? new Uint8Array());
    this.#sent.bytesWritten += chunk?.length ?? 0;
    this.#stream.end(chunk);
  }

  addTrailers(trailers: HeaderList): void {
    this.#stream.addTrailers(trailers);
  }

  flush(): void {
    const { headers } = this.#waiting ?? {};
    // A body without a declared length may come late, so the head is sent now, without a type. A body with a declared
    // length follows soon, so the head waits for its first bytes.
    if (headers === undefined || getHeader(headers, "content-length") === undefined) {
      this.#sendHead(new Uint8Array());
      this.#stream.flush();
    }
  }

  onceDrain(callback: () => void): void {
    this.#stream.onceDrain(callback);
  }

  /** Sends a waiting head. @param first first bytes of the body; without bytes, no type is derived */
  #sendHead(first: Uint8Array): void {
    if (this.#waiting !== undefined) {
      const { status, headers } = this.#waiting;
      this.#waiting = undefined;
      // Makes a copy, because the log shows the fields that handlers set.
      this.#stream.writeHead(
        status,
        first.length === 0 ? headers : [...headers, "Content-Type", sniffType(first)],
      );
    }
  }
}
