import { request as http1Request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";

/** A response whose body is decoded as it comes. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The bytes so far. */
  readonly text: string;
  /** Resolves when so much is there; rejects when the response ends before. */
  arrived(text: string): Promise<void>;
  /** Resolves with the whole text. */
  readonly whole: Promise<string>;
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

class Arrivals implements DecodedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly #whole = Promise.withResolvers<string>();
  text = "";
  #waiting: (() => void) | undefined;

  constructor(status: number, headers: Record<string, unknown>, body: Readable) {
    this.status = status;
    this.headers = headers;
    this.#whole.promise.catch(() => {});
    const decoder = decoders[String(headers["content-encoding"] ?? "")]?.();
    const decoded = decoder === undefined ? body : body.pipe(decoder);
    decoded.on("data", (chunk: Buffer) => {
      this.text += chunk.toString();
      this.#waiting?.();
    });
    decoded.once("end", () => this.#whole.resolve(this.text));
    for (const stream of [body, decoded]) {
      stream.once("error", (error) => this.#whole.reject(error));
    }
    body.once("aborted", () => this.#whole.reject(new Error(`cut after ${JSON.stringify(this.text)}`)));
  }

  get whole(): Promise<string> {
    return this.#whole.promise;
  }

  async arrived(text: string): Promise<void> {
    while (this.text !== text) {
      const ended = await Promise.race([
        new Promise<boolean>((resolve) => {
          this.#waiting = () => resolve(false);
        }),
        this.whole.then(() => true),
      ]);
      if (ended && this.text !== text) {
        throw new Error(`ended with ${JSON.stringify(this.text.slice(-200))}`);
      }
    }
  }
}

/**
 * For tests: asks for a page, and resolves with the head of its response.
 * @param version 2: over HTTP/2 without TLS
 */
export function askDecoded(
  url: string,
  headers: Record<string, string>,
  version: 1 | 2 = 1,
): Promise<DecodedResponse> {
  return new Promise((resolve, reject) => {
    const { origin, hostname, port, pathname } = new URL(url);
    if (version === 1) {
      const request = http1Request({ hostname, port, path: pathname, headers, agent: false }, (response) =>
        resolve(new Arrivals(response.statusCode ?? 0, response.headers, response)),
      );
      request.once("error", reject);
      request.end();
      return;
    }
    const session = connectHttp2(origin);
    session.once("error", reject);
    const stream = session.request({ ":path": pathname, ...headers });
    stream.once("error", reject);
    stream.once("response", (fields) =>
      resolve(new Arrivals(Number(fields[":status"]), fields as Record<string, unknown>, stream)),
    );
    stream.once("close", () => session.close());
  });
}
