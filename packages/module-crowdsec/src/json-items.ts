// Reads an object of lists while it arrives: `{"deleted": […], "new": [{…}, …]}`. A list may have a million
// items, more than one string can hold, so items are parsed one by one.

/** Maximum number of bytes of one item. A longer item is an error. A decision has some 200. */
const maxItemBytes = 64 * 1024;
/** Maximum number of bytes of a list's name. A longer name is an error. */
const maxNameBytes = 64;

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('"\\{}[]')];

/** Called with each item, and the name of its list. */
export type ItemListener = (list: string, item: unknown) => void;

/**
 * Splits the bytes of `{"name": [{…}, …], …}` into items. Strings are skipped as strings, so braces in them do
 * not count. Values other than lists of objects are ignored.
 */
export class JsonItems {
  readonly #listener: ItemListener;
  /** Open braces and brackets. The root has depth 1, a list depth 2, an item depth 3. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string at depth 1: the name of a list that opens next. */
  #name = "";
  /** First byte of the string or item that is being read, in the present chunk; -1: none. */
  #start = -1;
  /** Beginning of an item that ends in a later chunk. */
  #kept: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(listener: ItemListener) {
    this.#listener = listener;
  }

  /** @throws Error for an item that is too long or no JSON */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isInString) {
        this.#inString(chunk, at, byte);
      } else if (byte === quote) {
        this.#isInString = true;
        if (this.#depth === 1) {
          this.#start = at + 1;
        }
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#depth === 3 && byte === openBrace) {
          this.#start = at;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#close(chunk, at, byte);
      }
    }
    this.#keep(chunk);
  }

  /** @throws Error when the object has not ended: the connection was cut */
  end(): void {
    if (!this.#hasEnded) {
      throw new Error("the answer ends in the middle");
    }
  }

  #inString(chunk: Buffer, at: number, byte: number | undefined): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === backslash) {
      this.#isEscaped = true;
    } else if (byte === quote) {
      this.#isInString = false;
      if (this.#depth === 1) {
        this.#name = this.#taken(chunk, at).toString();
      }
    }
  }

  #close(chunk: Buffer, at: number, byte: number | undefined): void {
    this.#depth--;
    if (this.#depth === 2 && byte === closeBrace) {
      this.#listener(this.#name, JSON.parse(this.#taken(chunk, at + 1).toString()));
    } else if (this.#depth === 0) {
      this.#hasEnded = true;
    } else if (this.#depth < 0) {
      throw new Error("more closing than opening braces");
    }
  }

  /** The bytes from the start to `end`, with those of earlier chunks. */
  #taken(chunk: Buffer, end: number): Buffer {
    const bytes = chunk.subarray(Math.max(0, this.#start), end);
    const whole = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#start = -1;
    this.#kept = Buffer.alloc(0);
    return whole;
  }

  /** Keeps the bytes of a string or item that continues in the next chunk. */
  #keep(chunk: Buffer): void {
    if (this.#start === -1) {
      return;
    }
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(this.#start)]);
    this.#start = 0;
    if (this.#kept.length > (this.#depth === 1 ? maxNameBytes : maxItemBytes)) {
      throw new Error(`an item over the limit of ${maxItemBytes} bytes`);
    }
  }
}
