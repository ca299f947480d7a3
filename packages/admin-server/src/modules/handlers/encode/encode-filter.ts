import type { Exchange } from "../../../http/exchange.ts";
import {
  getHeader,
  getHeaders,
  type HeaderList,
  removeHeaders,
  setHeader,
} from "../../../http/header-list.ts";
import { ResponseFilter, type ResponseSink } from "../../../http/response-sink.ts";
import { deriveBody } from "../../../http/stable-bodies.ts";
import type { CompressStream, ContentEncoder } from "../../encoders/content-encoder.ts";
import type { ResponseMatcher } from "../../response-matcher.ts";

/** Whole bodies up to this size are compressed at once: that takes less than handing them to another thread. */
const maxAtOnceBytes = 128 * 1024;

/** What an encode handler wants. */
export interface EncodeRules {
  readonly matches: ResponseMatcher;
  readonly minLength: number;
}

function hasToken(headers: HeaderList, name: string, token: string): boolean {
  return getHeaders(headers, name).some((value) =>
    value.split(",").some((each) => each.trim().toLowerCase() === token),
  );
}

function addVary(headers: HeaderList): void {
  if (!hasToken(headers, "vary", "accept-encoding") && !hasToken(headers, "vary", "*")) {
    headers.push("Vary", "Accept-Encoding");
  }
}

/** Names the coded form in a strong tag: two forms of a resource may not share one. */
export function tagOfCoded(etag: string, coding: string): string {
  return etag.startsWith('"') && etag.length > 1 ? `${etag.slice(0, -1)}-${coding}"` : etag;
}

type Mode = "before head" | "undecided" | "as it is" | "coded";

/** Compresses a response on its way, if it may and if that is worth it. */
export class EncodeFilter extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #encoder: ContentEncoder | undefined;
  readonly #rules: EncodeRules;
  /** Whether the client asked for its copy of the coded form: 304 must have the tag of that. */
  readonly #askedForCoded: boolean;
  readonly #done = Promise.withResolvers<void>();
  #mode: Mode = "before head";
  #status = 0;
  #headers: HeaderList = [];
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #stream: CompressStream | undefined;

  constructor(
    below: ResponseSink,
    exchange: Exchange,
    encoder: ContentEncoder | undefined,
    rules: EncodeRules,
    askedForCoded: boolean,
  ) {
    super(below);
    this.#exchange = exchange;
    this.#encoder = encoder;
    this.#rules = rules;
    this.#askedForCoded = askedForCoded;
  }

  /** Resolves when what is under way has gone on; undefined when nothing is. */
  get pending(): Promise<void> | undefined {
    return this.#stream === undefined ? undefined : this.#done.promise;
  }

  override head(status: number, headers: HeaderList): void {
    this.#status = status;
    this.#headers = headers;
    if (status === 304) {
      addVary(headers);
      const etag = getHeader(headers, "etag");
      if (this.#encoder !== undefined && this.#askedForCoded && etag !== undefined) {
        setHeader(headers, "Etag", tagOfCoded(etag, this.#encoder.name));
      }
    }
    if (!this.#mayBeCoded()) {
      this.#passOn();
      return;
    }
    const length = Number(getHeader(headers, "content-length") ?? Number.NaN);
    if (length < this.#rules.minLength) {
      this.#passOn();
      return;
    }
    if (this.#encoder === undefined) {
      addVary(headers);
      this.#passOn();
      return;
    }
    this.#mode = "undecided";
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#mode === "as it is") {
      return super.write(chunk);
    }
    if (this.#mode === "undecided") {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      if (
        this.#heldBytes < this.#rules.minLength &&
        getHeader(this.#headers, "content-length") === undefined
      ) {
        return true;
      }
      this.#startCoding();
      return this.#writeHeld();
    }
    return this.#stream?.write(chunk) ?? true;
  }

  override end(chunk?: Uint8Array): void {
    if (this.#mode === "as it is") {
      super.end(chunk);
    } else if (this.#mode === "undecided") {
      this.#endUndecided(chunk);
    } else if (chunk === undefined) {
      this.#stream?.end();
    } else {
      this.#stream?.end(chunk);
    }
  }

  override flush(): void {
    if (this.#mode === "undecided") {
      // Who flushes sends in pieces, and nobody knows how many.
      this.#startCoding();
      this.#writeHeld();
    }
    if (this.#stream === undefined) {
      super.flush();
    } else {
      this.#stream.flush(() => super.flush());
    }
  }

  override onceDrain(callback: () => void): void {
    if (this.#stream === undefined) {
      super.onceDrain(callback);
    } else if (this.#stream.writableNeedDrain) {
      this.#stream.once("drain", callback);
    } else {
      setImmediate(callback);
    }
  }

  #mayBeCoded(): boolean {
    const headers = this.#headers;
    const status = this.#status;
    return (
      status >= 200 &&
      status !== 204 &&
      status !== 206 &&
      status !== 304 &&
      (getHeader(headers, "content-encoding") ?? "") === "" &&
      !hasToken(headers, "cache-control", "no-transform") &&
      this.#rules.matches(status, headers, this.#exchange)
    );
  }

  #passOn(): void {
    this.#mode = "as it is";
    super.head(this.#status, this.#headers);
  }

  #describeCoded(): void {
    const headers = this.#headers;
    const name = this.#encoder?.name ?? "";
    addVary(headers);
    removeHeaders(
      headers,
      (each) => each === "content-length" || each === "accept-ranges" || each === "content-encoding",
    );
    headers.push("Content-Encoding", name);
    const etag = getHeader(headers, "etag");
    if (etag !== undefined) {
      setHeader(headers, "Etag", tagOfCoded(etag, name));
    }
  }

  #endUndecided(chunk: Uint8Array | undefined): void {
    const last = chunk ?? new Uint8Array();
    const encoder = this.#encoder;
    const length = this.#heldBytes + last.length;
    if (this.#exchange.method === "HEAD" || encoder === undefined) {
      if (getHeader(this.#headers, "content-length") !== undefined) {
        this.#describeCoded();
      }
      this.#passOn();
      super.end();
      return;
    }
    if (length < this.#rules.minLength) {
      this.#passOn();
      for (const held of this.#held) {
        super.write(held);
      }
      super.end(chunk);
      return;
    }
    if (length > maxAtOnceBytes) {
      this.#startCoding();
      this.#writeHeld();
      this.#stream?.end(last);
      return;
    }
    const whole = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
    const coded = deriveBody(whole, encoder.key, (bytes) => encoder.encode(bytes));
    this.#describeCoded();
    this.#headers.push("Content-Length", String(coded.length));
    this.#mode = "coded";
    super.head(this.#status, this.#headers);
    super.end(coded);
  }

  #startCoding(): void {
    const stream = this.#encoder?.createStream();
    this.#describeCoded();
    this.#mode = "coded";
    super.head(this.#status, this.#headers);
    if (stream === undefined) {
      return;
    }
    this.#stream = stream;
    stream.on("data", (coded: Buffer) => {
      if (!super.write(coded)) {
        stream.pause();
        super.onceDrain(() => stream.resume());
      }
    });
    stream.once("end", () => {
      super.end();
      this.#done.resolve();
    });
    stream.once("error", (error) => this.#done.reject(error));
    this.#exchange.onEnd(() => {
      stream.destroy();
      this.#done.resolve();
    });
  }

  #writeHeld(): boolean {
    let more = true;
    for (const chunk of this.#held) {
      more = this.#stream?.write(chunk) ?? true;
    }
    this.#held = [];
    this.#heldBytes = 0;
    return more;
  }
}
