import { StreamReading } from "http-engine/body/stream-reading";
import type { Exchange } from "http-engine/exchange";
import {
  getHeader,
  getHeaders,
  type HeaderList,
  removeHeaders,
  setContentLength,
  setHeader,
} from "http-engine/header-list";
import { HoldingFilter } from "http-engine/holding-filter";
import { deriveBody } from "http-engine/immutable-body-cache";
import type { ResponseSink } from "http-engine/response-sink";
import { sniffType } from "http-engine/sniffed-type";
import { isUnbuffered } from "http-engine/unbuffered-response";
import type { CompressStream, ContentEncoder } from "../../encoders/content-encoder.ts";
import type { ResponseMatcher } from "../../matchers/response-matcher.ts";

/**
 * Complete bodies up to this size in bytes are compressed synchronously, which costs less than passing them to another
 * thread.
 */
const maxAtOnceBytes = 128 * 1024;

/** The rules of an encode handler. */
export interface EncodeRules {
  /** Selects responses to encode. Default: types that compress well. */
  readonly matches: ResponseMatcher;
  /** Minimum body length, in bytes, for compression. Below this length, compression costs more than it saves. */
  readonly minLength: number;
}

/** Decisions made from the request, before the response head is known. */
export interface EncodeChoice {
  /** The client's preferred coding; undefined when the client accepts none. */
  readonly encoder: ContentEncoder | undefined;
  readonly rules: EncodeRules;
  /**
   * True when the client's conditions name the tag of the coded form. A 304 response must then contain the coded tag.
   */
  readonly askedForCoded: boolean;
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

/** True when the response has an unencoded body whose first bytes can reveal its type. */
function mayBeTold(status: number, headers: HeaderList): boolean {
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  return hasBody && (getHeader(headers, "content-encoding") ?? "") === "";
}

/** Adds the coding to a strong tag: two forms of a resource must have different tags. */
export function tagOfCoded(etag: string, coding: string): string {
  return etag.startsWith('"') && etag.length > 1 ? `${etag.slice(0, -1)}-${coding}"` : etag;
}

/**
 * - `undecided`: the head waits until the length or the first piece of the body decides about coding
 * - `as it is`: the body passes uncompressed
 * - `coded`: the body goes through the compressor
 */
type Mode = "undecided" | "as it is" | "coded";

/**
 * Compresses a passing response, if that is allowed and worthwhile.
 * | Response | Coded when |
 * |---|---|
 * | its length is declared | the declared length is above the minimum |
 * | of unknown length, short | it ends while pieces are still held, and is long enough |
 * | of unknown length, long | over 128 KiB are held, or the source pauses or flushes with more than the minimum held |
 * | events and other unbuffered types | immediately |
 * | without a type | the first bytes reveal a type that is compressed |
 * Source: Caddy 2.11, which checks the first piece of a body of unknown length
 */
export class EncodeFilter extends HoldingFilter {
  readonly #exchange: Exchange;
  readonly #encoder: ContentEncoder | undefined;
  readonly #rules: EncodeRules;
  /**
   * True when the client's conditions name the tag of the coded form. A 304 response must then contain the coded tag.
   */
  readonly #askedForCoded: boolean;
  /** Settles when the compressor has output everything. */
  readonly #done = Promise.withResolvers<void>();
  #mode: Mode = "as it is";
  #status = 0;
  #headers: HeaderList = [];
  /** Declared body length in bytes; -1 when none is declared. */
  #declared = -1;
  /** Pieces of the body that wait for the decision. */
  #held: Uint8Array[] = [];
  /** Total bytes of the held pieces. */
  #heldBytes = 0;
  /** The compressor, in mode `coded` for bodies in several pieces. */
  #stream: CompressStream | undefined;
  #reading: StreamReading | undefined;
  /** True once a piece was written to the compressor. */
  #hasBody = false;
  /** `open`: no `Content-Type` is set, so the first bytes decide. `unwanted`: the type is not compressed. */
  #type: "wanted" | "open" | "unwanted" = "wanted";
  /** Pieces that the compressor has not finished. */
  #coding = 0;
  /** True when the compressor may hold bytes that are not output yet. */
  #isDirty = false;

  constructor(below: ResponseSink, exchange: Exchange, { encoder, rules, askedForCoded }: EncodeChoice) {
    super(below);
    this.#exchange = exchange;
    this.#encoder = encoder;
    this.#rules = rules;
    this.#askedForCoded = askedForCoded;
  }

  protected override get pending(): Promise<void> | undefined {
    return this.#stream === undefined ? undefined : this.#done.promise;
  }

  protected override get holds(): boolean {
    return this.#mode === "undecided" ? this.#heldBytes > 0 : this.#isDirty;
  }

  protected override get isReady(): boolean {
    return this.#coding === 0;
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
    const declared = Number(getHeader(headers, "content-length") ?? -1);
    this.#declared = declared >= 0 ? declared : -1;
    if (getHeader(headers, "content-type") === undefined) {
      this.#type = "open";
    }
    if (this.#type === "open" ? !mayBeTold(status, headers) : !this.#mayBeCoded()) {
      this.#passOn();
    } else if (isUnbuffered(headers)) {
      // Events are small and the first event may arrive late, so the decision does not wait for bytes.
      this.#start();
      super.flush();
    } else if (this.#declared >= 0 && !this.#isWorthIt(this.#declared)) {
      this.#passOn();
    } else {
      this.#mode = "undecided";
    }
  }

  override write(chunk: Uint8Array): boolean {
    switch (this.#mode) {
      case "as it is":
        return super.write(chunk);
      case "coded":
        return this.#code(chunk);
      default:
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > maxAtOnceBytes) {
      return this.#decide();
    }
    this.kept();
    return true;
  }

  override end(chunk?: Uint8Array): void {
    if (this.#mode === "as it is") {
      super.end(chunk);
    } else if (this.#mode === "undecided") {
      this.#endUndecided(chunk);
    } else if (!this.#hasBody && (chunk?.length ?? 0) === 0) {
      this.#reading?.stop();
      this.#stream?.destroy();
      super.end();
      this.#done.resolve();
    } else if (chunk === undefined) {
      this.#stream?.end();
    } else {
      this.#stream?.end(chunk);
    }
  }

  protected override release(done?: () => void): void {
    if (this.#mode === "undecided") {
      this.#decide();
    }
    const flushed = () => {
      this.below.flush();
      done?.();
    };
    const stream = this.#stream;
    if (stream === undefined) {
      flushed();
      return;
    }
    this.#isDirty = false;
    const kind = this.#encoder?.flushKind;
    if (kind === undefined) {
      stream.flush(flushed);
    } else {
      stream.flush(kind, flushed);
    }
  }

  override flush(): void {
    if (this.#mode === "undecided" && this.#heldBytes === 0) {
      if (this.#declared >= 0 && this.#type !== "open") {
        this.#decide();
        super.flush();
      }
    } else {
      super.flush();
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

  /** True when status, header fields and config allow coding. `no-transform` forbids coding. */
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

  /** True when the content type is compressed. Without a `Content-Type` the first bytes decide. */
  #hasWantedType(first: Uint8Array): boolean {
    if (this.#type === "open") {
      if (first.length > 0) {
        this.#headers.push("Content-Type", sniffType(first));
      }
      this.#type = this.#mayBeCoded() ? "wanted" : "unwanted";
    }
    return this.#type === "wanted";
  }

  /** True when a body is long enough to compress. */
  #isWorthIt(length: number): boolean {
    return length > this.#rules.minLength;
  }

  /** Sends the unchanged head. */
  #passOn(): void {
    this.#mode = "as it is";
    super.head(this.#status, this.#headers);
  }

  /** Sets the header fields of a body that is worth coding. */
  #describe(): void {
    const headers = this.#headers;
    addVary(headers);
    const name = this.#encoder?.name;
    if (name === undefined) {
      return;
    }
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

  /** Sends the head and the held bytes, compressed if that is worth it. @returns false when the writer should pause */
  #decide(): boolean {
    const isWorthIt = this.#isWorthIt(Math.max(this.#declared, this.#heldBytes));
    if (isWorthIt && this.#hasWantedType(this.#held[0] ?? new Uint8Array())) {
      this.#start();
    } else {
      this.#passOn();
    }
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    let more = true;
    for (const chunk of held) {
      more = this.write(chunk);
    }
    return more;
  }

  /** Handles a body that ended before the decision. If the body is short enough, it is coded in one call. */
  #endUndecided(chunk: Uint8Array | undefined): void {
    const last = chunk ?? new Uint8Array();
    const encoder = this.#encoder;
    const length = this.#heldBytes + last.length;
    if (this.#exchange.method === "HEAD") {
      // A declared length was checked before the body; only an undeclared length is checked here.
      const isWorthIt = this.#declared >= 0 || this.#isWorthIt(length);
      if (isWorthIt && this.#hasWantedType(this.#held[0] ?? last)) {
        this.#describe();
      }
      this.#passOn();
      // A later `encode` handler also decides by the length.
      for (const held of this.#held) {
        super.write(held);
      }
      super.end(last);
    } else if (
      encoder === undefined ||
      !this.#isWorthIt(length) ||
      length > maxAtOnceBytes ||
      !this.#hasWantedType(this.#held[0] ?? last)
    ) {
      if (last.length > 0) {
        this.#held.push(last);
        this.#heldBytes = length;
      }
      this.#decide();
      this.end();
    } else {
      this.#endAtOnce(this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]), encoder);
    }
  }

  /** Codes a whole body. The coded form of an immutable body (a cached file, a fixed text) is cached. */
  #endAtOnce(whole: Uint8Array, encoder: ContentEncoder): void {
    const coded = deriveBody(whole, encoder.key, (bytes) => encoder.encode(bytes));
    this.#describe();
    if (this.#declared >= 0 || this.#held.length === 0) {
      setContentLength(this.#headers, coded.length);
    } // else the framing would depend on how the pieces came
    this.#mode = "coded";
    super.head(this.#status, this.#headers);
    super.end(coded);
  }

  /** Starts to compress piece by piece. Removes the length and the range support of the plain body from the head. */
  #start(): void {
    this.#describe();
    // Without an encoder, or for HEAD, nothing is compressed.
    if (this.#encoder === undefined || this.#exchange.method === "HEAD") {
      this.#passOn();
      return;
    }
    const stream = this.#encoder.createStream();
    this.#stream = stream;
    this.#mode = "coded";
    super.head(this.#status, this.#headers);
    // The writer may wait for the encoder, so an encoder error must end the exchange.
    const failed = (error: unknown) => {
      stream.destroy();
      this.#exchange.fail(error);
      this.#done.resolve();
    };
    const reading = new StreamReading(stream, {
      data: (coded) => {
        if (super.write(coded)) {
          return true;
        }
        super.onceDrain(() => stream.resume());
        return false;
      },
      end: () => {
        super.end();
        this.#done.resolve();
      },
      failed,
    });
    this.#reading = reading;
    this.#exchange.onEnd(() => {
      reading.stop();
      stream.destroy();
      this.#done.resolve();
    });
  }

  /** Writes a piece to the compressor. */
  #code(chunk: Uint8Array): boolean {
    this.#hasBody = true;
    this.#isDirty = true;
    this.#coding++;
    return this.#stream?.write(chunk, this.#coded) ?? true;
  }

  readonly #coded = (): void => {
    this.#coding--;
    if (this.#coding === 0) {
      this.kept();
    }
  };
}
