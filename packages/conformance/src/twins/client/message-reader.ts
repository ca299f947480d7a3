import type { Field } from "../twin-case.ts";

/**
 * The end of a body: by `Content-Length`, by a last chunk, or with the connection; `tunnel` means bytes after an
 * upgrade.
 */
export type Framing = "none" | "length" | "chunked" | "close" | "tunnel";

/** A message of HTTP/1 with the bytes that were received. Texts have one code unit for each byte. */
export interface Message {
  readonly start: string;
  readonly fields: readonly Field[];
  readonly framing: Framing;
  readonly body: Buffer[];
  readonly trailers: Field[];
  isComplete: boolean;
}

export function fieldOf(fields: readonly Field[], name: string): string | undefined {
  return fields.find(([each]) => each.toLowerCase() === name)?.[1];
}

function parseFields(lines: readonly string[]): Field[] {
  return lines.map((line) => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
}

/** Finds the framing of a message's body. @param hasNoBody true for an answer to HEAD */
function framingOf(start: string, fields: readonly Field[], hasNoBody: boolean): Framing {
  const isRequest = !start.startsWith("HTTP/");
  const status = isRequest ? 0 : Number(start.split(" ")[1]);
  if (status === 101) {
    return "tunnel";
  }
  if (hasNoBody || (status >= 100 && status < 200) || status === 204 || status === 304) {
    return "none";
  }
  if (/chunked/i.test(fieldOf(fields, "transfer-encoding") ?? "")) {
    return "chunked";
  }
  const length = fieldOf(fields, "content-length");
  if (length !== undefined) {
    return Number(length) === 0 ? "none" : "length";
  }
  return isRequest ? "none" : "close";
}

/**
 * Reads messages of HTTP/1 from the bytes of a connection, and accepts unusual messages, because they are to be
 * compared.
 */
export class MessageReader {
  readonly messages: Message[] = [];
  /** True after bytes that are not HTTP/1; reading then stops. */
  isBroken = false;
  #rest: Buffer = Buffer.alloc(0);
  #current: Message | undefined;
  #missing = 0;
  #chunkState: "size" | "data" | "end" | "trailers" = "size";
  readonly #hasNoBody: (index: number) => boolean;
  #finals = 0;

  /** @param hasNoBody true when the final answer with this index has no body, such as an answer to HEAD */
  constructor(hasNoBody: (index: number) => boolean = () => false) {
    this.#hasNoBody = hasNoBody;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.isBroken && this.#rest.length > 0 && this.#step()) {}
  }

  /** The connection ended; this completes a body that lasts until the end of the connection. */
  end(): void {
    if (this.#current?.framing === "close" || this.#current?.framing === "tunnel") {
      this.#finish();
    }
  }

  /** Reads the next part of a message. @returns false when more bytes are needed */
  #step(): boolean {
    if (this.#current === undefined) {
      return this.#readHead();
    }
    const { framing } = this.#current;
    if (framing === "length") {
      return this.#take(this.#current);
    }
    if (framing === "chunked") {
      return this.#readChunked(this.#current);
    }
    this.#current.body.push(this.#rest);
    this.#rest = Buffer.alloc(0);
    return false;
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) {
      this.isBroken = this.#rest.length > 2_000_000;
      return false;
    }
    const [start = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    this.#rest = this.#rest.subarray(end + 4);
    const fields = parseFields(lines);
    const isInterim = /^HTTP\/1\.\d 1(?!01)\d\d/.test(start);
    const framing = framingOf(start, fields, !isInterim && this.#hasNoBody(this.#finals));
    if (!isInterim) {
      this.#finals++;
    }
    this.#current = { start, fields, framing, body: [], trailers: [], isComplete: false };
    this.messages.push(this.#current);
    this.#chunkState = "size";
    this.#missing = framing === "length" ? Number(fieldOf(fields, "content-length")) : 0;
    if (framing === "none") {
      this.#finish();
    }
    return true;
  }

  /** Takes the available part of the missing bytes. */
  #take(message: Message): boolean {
    const part = this.#rest.subarray(0, this.#missing);
    message.body.push(part);
    this.#missing -= part.length;
    this.#rest = this.#rest.subarray(part.length);
    if (this.#missing > 0) {
      return false;
    }
    if (message.framing === "length") {
      this.#finish();
    } else {
      this.#chunkState = "end";
    }
    return true;
  }

  #readChunked(message: Message): boolean {
    if (this.#chunkState === "data") {
      return this.#take(message);
    }
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) {
      return false;
    }
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    if (this.#chunkState === "end") {
      this.#chunkState = "size";
    } else if (this.#chunkState === "trailers") {
      if (line === "") {
        this.#finish();
      } else {
        message.trailers.push(...parseFields([line]));
      }
    } else {
      this.#missing = Number.parseInt(line, 16);
      this.isBroken = Number.isNaN(this.#missing);
      this.#chunkState = this.#missing === 0 ? "trailers" : "data";
    }
    return true;
  }

  #finish(): void {
    if (this.#current !== undefined) {
      this.#current.isComplete = true;
    }
    this.#current = undefined;
  }
}
