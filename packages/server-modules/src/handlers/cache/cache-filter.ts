import type { HeaderList } from "http-engine/header-list";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";

/** Told of a response on its way. */
export interface CacheWatcher {
  /** @returns "keep": collect a copy of the body; "drop": send nothing; "pass": send without a copy */
  head(status: number, headers: HeaderList): "keep" | "drop" | "pass";
  /** The whole body of a response to keep. */
  whole(body: Buffer): void;
}

/** Lets a response pass and keeps a copy of its body, or drops it. */
export class CacheFilter extends ResponseFilter {
  readonly #watcher: CacheWatcher;
  readonly #maxBytes: number;
  /**
   * - `keep`: passes, and a copy is made
   * - `drop`: nothing is sent
   * - `pass`: passes, because it is not to be kept or was too long
   */
  #decision: "keep" | "drop" | "pass" = "pass";
  /** The copy so far. */
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(below: ResponseSink, watcher: CacheWatcher, maxBytes: number) {
    super(below);
    this.#watcher = watcher;
    this.#maxBytes = maxBytes;
  }

  /** Whether nothing of the response is sent. */
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

  /** Adds to the copy, or gives it up where it grows too long. */
  #keep(chunk: Uint8Array): void {
    if (this.#decision !== "keep") {
      return;
    }
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) {
      this.#decision = "pass";
      this.#chunks = [];
    } else {
      // The chunk may be used again by whom it belongs to.
      this.#chunks.push(Buffer.from(chunk));
    }
  }
}
