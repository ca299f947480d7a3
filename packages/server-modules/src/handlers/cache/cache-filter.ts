import type { HeaderList } from "http-engine/header-list";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";

/** Receives the head and the body of a response that passes the filter. */
export interface CacheWatcher {
  /** @returns "keep": collect a copy of the body; "drop": send nothing; "pass": send without a copy */
  head(status: number, headers: HeaderList): "keep" | "drop" | "pass";
  /** Receives the complete body of a response for which `head` returned "keep". */
  whole(body: Buffer): void;
}

/** Passes a response on and keeps a copy of its body, or drops the response. */
export class CacheFilter extends ResponseFilter {
  readonly #watcher: CacheWatcher;
  readonly #maxBytes: number;
  /**
   * - `keep`: the response passes, and its body is copied
   * - `drop`: the response is not sent
   * - `pass`: the response passes without a copy, because it is not storable or too long
   */
  #decision: "keep" | "drop" | "pass" = "pass";
  /** Chunks copied until now. */
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(below: ResponseSink, watcher: CacheWatcher, maxBytes: number) {
    super(below);
    this.#watcher = watcher;
    this.#maxBytes = maxBytes;
  }

  /** True when the response is not sent. */
  get dropped(): boolean {
    return this.#decision === "drop";
  }

  override head(status: number, headers: HeaderList): void {
    this.#decision = this.#watcher.head(status, headers);
    if (this.#decision !== "drop") {
      super.head(status, headers);
    }
  }

  override write(chunk: Uint8Array): boolean {
    this.#keep(chunk);
    return this.dropped || super.write(chunk);
  }

  override end(chunk?: Uint8Array): void {
    if (chunk !== undefined) {
      this.#keep(chunk);
    }
    if (this.#decision === "keep") {
      this.#watcher.whole(Buffer.concat(this.#chunks, this.#length));
    }
    if (!this.dropped) {
      super.end(chunk);
    }
  }

  override flush(): void {
    if (!this.dropped) {
      super.flush();
    }
  }

  /** Adds a chunk to the copy. If the copy grows too long, it is discarded. */
  #keep(chunk: Uint8Array): void {
    if (this.#decision !== "keep") {
      return;
    }
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) {
      this.#decision = "pass";
      this.#chunks = [];
    } else {
      // The caller may reuse the chunk's memory, so the chunk is copied.
      this.#chunks.push(Buffer.from(chunk));
    }
  }
}
