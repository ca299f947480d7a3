/** Position and reason why bytes are not JSON. */
export interface JsonFault {
  /** The fault, and the expected text. */
  readonly reason: string;
  /** Number of bytes up to the fault, including the faulty byte. */
  readonly offset: number;
}

type Expectation = "value" | "value or ]" | "key" | "key or }" | "colon" | "next";

const stringEscapes = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number | undefined): boolean {
  const lower = (byte ?? 0) | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Finds the first fault in JSON bytes, and reports it in Caddy's wording. Called only after `JSON.parse`
 * failed. It uses an explicit stack, so depth does not overflow the call stack. Source: Caddy, seen running
 * ("decoding request body: <reason>, at offset N"); wording of Go's encoding/json
 */
class FaultFinder {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  find(): JsonFault | undefined {
    const open: number[] = [];
    let expect: Expectation = "value";
    for (;;) {
      while (isSpace(this.#bytes[this.#at])) {
        this.#at++;
      }
      const byte = this.#bytes[this.#at];
      if (expect === "next" && open.length === 0) {
        return byte === undefined ? undefined : this.#fault("after top-level value");
      }
      if (byte === undefined) {
        return this.#fault("");
      }
      if (expect === "next") {
        const inObject = open.at(-1) === openBrace;
        if (byte === comma) {
          expect = inObject ? "key" : "value";
        } else if (byte === (inObject ? closeBrace : closeBracket)) {
          open.pop();
        } else {
          return this.#fault(inObject ? "after object key:value pair" : "after array element");
        }
        this.#at++;
      } else if (expect === "colon") {
        if (byte !== colon) {
          return this.#fault("after object key");
        }
        this.#at++;
        expect = "value";
      } else if (
        (expect === "key or }" && byte === closeBrace) ||
        (expect === "value or ]" && byte === closeBracket)
      ) {
        open.pop();
        this.#at++;
        expect = "next";
      } else if (expect === "key" || expect === "key or }") {
        const fault =
          byte === quote ? this.#string() : this.#fault("looking for beginning of object key string");
        if (fault !== undefined) {
          return fault;
        }
        expect = "colon";
      } else if (byte === openBrace || byte === openBracket) {
        open.push(byte);
        this.#at++;
        expect = byte === openBrace ? "key or }" : "value or ]";
      } else {
        const fault = this.#scalar(byte);
        if (fault !== undefined) {
          return fault;
        }
        expect = "next";
      }
    }
  }

  #fault(where: string): JsonFault {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) {
      return { reason: "unexpected end of JSON input", offset: this.#bytes.length };
    }
    const char =
      byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1) : `\\x${byte.toString(16)}`;
    return {
      reason: `invalid character '${char === "'" ? "\\'" : char === '\\"' ? '"' : char}' ${where}`,
      offset: this.#at + 1,
    };
  }

  #scalar(byte: number): JsonFault | undefined {
    if (byte === quote) {
      return this.#string();
    }
    if (byte === 0x2d || isDigit(byte)) {
      return this.#number();
    }
    const literal = ["true", "false", "null"].find((word) => word.charCodeAt(0) === byte);
    if (literal === undefined) {
      return this.#fault("looking for beginning of value");
    }
    for (const char of literal) {
      if (this.#bytes[this.#at] !== char.charCodeAt(0)) {
        return this.#fault(`in literal ${literal} (expecting '${char}')`);
      }
      this.#at++;
    }
    return undefined;
  }

  #string(): JsonFault | undefined {
    this.#at++;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || byte < 0x20) {
        return this.#fault("in string literal");
      }
      this.#at++;
      if (byte === quote) {
        return undefined;
      }
      if (byte === backslash) {
        const escaped = this.#bytes[this.#at];
        if (escaped === 0x75) {
          for (let digit = 0; digit < 4; digit++) {
            this.#at++;
            if (!isHexDigit(this.#bytes[this.#at])) {
              return this.#fault("in \\u hexadecimal character escape");
            }
          }
        } else if (escaped === undefined || !stringEscapes.has(escaped)) {
          return this.#fault("in string escape code");
        }
        this.#at++;
      }
    }
  }

  #number(): JsonFault | undefined {
    if (this.#bytes[this.#at] === 0x2d) {
      this.#at++;
    }
    if (this.#bytes[this.#at] === 0x30) {
      this.#at++; // a digit after a leading zero is left to the caller, as a fault
    } else if (!this.#digits()) {
      return this.#fault("in numeric literal");
    }
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      if (!this.#digits()) {
        return this.#fault("after decimal point in numeric literal");
      }
    }
    if (this.#bytes[this.#at] === 0x65 || this.#bytes[this.#at] === 0x45) {
      this.#at++;
      if (this.#bytes[this.#at] === 0x2b || this.#bytes[this.#at] === 0x2d) {
        this.#at++;
      }
      if (!this.#digits()) {
        return this.#fault("in exponent of numeric literal");
      }
    }
    return undefined;
  }

  /** Skips digits; false when there are none. */
  #digits(): boolean {
    const start = this.#at;
    while (isDigit(this.#bytes[this.#at])) {
      this.#at++;
    }
    return this.#at > start;
  }
}

/** The first fault of bytes that are not JSON; undefined when they are JSON. */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  return new FaultFinder(bytes).find();
}
