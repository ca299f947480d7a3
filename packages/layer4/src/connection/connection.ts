// Life of a connection:
//
// | step | who acts | where the bytes are |
// |---|---|---|
// | accepted | `ConnectionListener` | in the paused socket |
// | matching | `Way` calls `peek`, matchers read `bytes` | in the socket; `bytes` is a copy |
// | a message for a handler | the handler calls `skip` | the message is taken off, the rest stays |
// | taken | the handler calls `take` | the handler reads all of them |
// | over TLS, throttle or tee | the handler calls `over` | in the stream of the next connection |
// | ended | whoever took it, or `Layer4Server` | gone |

import type { Duplex } from "node:stream";
import { machineReader } from "server-core/placeholders/machine-placeholders";
import { scanPlaceholders } from "server-core/placeholders/scan-placeholders";
import type { ConnectionAddresses } from "./addresses.ts";

/**
 * Bytes that matchers may look at. A client that sends more without matching a route is closed, so this bounds the
 * memory of connections that match nothing. Source: caddy-l4, `MaxMatchingBytes`
 */
export const maxMatchingBytes = 16 * 1024;

/**
 * The outcome of waiting for more bytes.
 *
 * - `more`: bytes came, and matchers can be asked again
 * - `ended`: the client ended, or the connection is gone
 * - `full`: `maxMatchingBytes` wait already, the most that matchers may see
 * - `late`: the deadline passed
 */
export type Peeked = "more" | "ended" | "full" | "late";

/** A value of a placeholder, or a function that makes it when it is read. */
type Value = string | (() => string);

/** Whether the last byte has come. The event `end` waits until it is read. */
function hasEnded(stream: Duplex): boolean {
  const { _readableState: state } = stream as unknown as {
    readonly _readableState?: { readonly ended: boolean };
  };
  return stream.readableEnded || state?.ended === true;
}

/** Facts that matchers and handlers leave on a connection for those after them. */
interface Notes {
  /** Values of placeholders by full name: `l4.tls.server_name`. */
  readonly values: Map<string, Value>;
  /** Variables that the handler `vars` sets. */
  readonly vars: Map<string, string>;
}

/**
 * A connection on its way through routes. Matchers look at its first bytes, which stay in it. The first handler that
 * reads takes the stream with all its bytes. A handler that changes the stream, as TLS does, passes on another connection.
 */
export class Connection {
  readonly #stream: Duplex;
  readonly #notes: Notes;
  /** A copy of what waits in the stream, as of the last look. */
  #bytes: Buffer = Buffer.alloc(0);
  /** Bytes that waited in the stream then; more of them wake `peek`. */
  #seen = 0;
  /** True once a handler has the stream; a second one would read only a part of the bytes. */
  #isTaken = false;
  /** Both ends; a PROXY protocol header changes them. */
  addresses: ConnectionAddresses;
  /** Whether it carries datagrams instead of a stream of bytes. */
  readonly isPacket: boolean;

  /** @param notes variables shared with the connection below; absent: a new connection */
  constructor(stream: Duplex, addresses: ConnectionAddresses, isPacket = false, notes?: Notes) {
    this.#stream = stream;
    // An unhandled stream error would end the thread. A reader still sees the end of the stream.
    stream.on("error", () => {});
    this.addresses = addresses;
    this.isPacket = isPacket;
    const startedAt = new Date();
    this.#notes = notes ?? {
      values: new Map<string, Value>([["l4.conn.wrap_time", () => startedAt.toISOString()]]),
      vars: new Map(),
    };
  }

  /** The bytes that have come and that no handler has taken, at most some more than {@link maxMatchingBytes}. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** True when the stream is destroyed, by either side. */
  get isClosed(): boolean {
    return this.#stream.destroyed;
  }

  /** The stream below, for looks at it. Only {@link take} gives the right to read. */
  get stream(): Duplex {
    return this.#stream;
  }

  /**
   * Waits for more bytes than there are.
   * @param deadlineAt as of `performance.now()`
   * @returns `full` where matchers have seen all that they may, `late` at the deadline, `ended` when no more will come
   */
  async peek(deadlineAt: number): Promise<Peeked> {
    if (this.#bytes.length >= maxMatchingBytes) {
      return "full";
    }
    const stream = this.#stream;
    const wake = { up: () => {} };
    const onEvent = () => wake.up();
    const events = ["readable", "end", "close"];
    for (const event of events) {
      stream.on(event, onEvent);
    }
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        wake.up();
      },
      Math.max(0, deadlineAt - performance.now()),
    );
    try {
      for (;;) {
        if (this.#look()) {
          return "more";
        }
        if (isLate || stream.destroyed || hasEnded(stream)) {
          return isLate ? "late" : "ended";
        }
        await new Promise<void>((resolve) => {
          wake.up = resolve;
          stream.read(0); // asks for the event
        });
      }
    } finally {
      clearTimeout(timer);
      for (const event of events) {
        stream.off(event, onEvent);
      }
    }
  }

  /** Looks at all that waits, and leaves it there: a stream that ends while it is empty cannot be filled again. */
  #look(): boolean {
    const stream = this.#stream;
    // To give bytes back is an event too.
    if (stream.readableLength <= this.#seen) {
      return false;
    }
    const chunks: Buffer[] = [];
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) {
      chunks.push(chunk as Buffer);
    }
    for (const chunk of chunks.toReversed()) {
      stream.unshift(chunk);
    }
    this.#bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    this.#seen = stream.readableLength;
    return true;
  }

  /**
   * The stream, with every byte that has come. Whoever takes it reads it to its end, or destroys it.
   * @throws TypeError for a second take, which is a fault of the program
   */
  take(): Duplex {
    if (this.#isTaken) {
      throw new TypeError("a connection is taken once");
    }
    this.#isTaken = true;
    return this.#stream;
  }

  /** Takes the first bytes off: they were for the handler that asks. @param count at most as many as {@link bytes} has */
  skip(count: number): void {
    // Without a count, `read` may return only the first piece.
    if (count > 0) {
      this.#stream.read(count);
    }
    this.#bytes = Buffer.from(this.#bytes.subarray(count));
    this.#seen = this.#bytes.length;
  }

  /** A connection for the next handlers, over a stream inside this one. */
  over(stream: Duplex): Connection {
    return new Connection(stream, this.addresses, this.isPacket, this.#notes);
  }

  /** Gives a placeholder its value. @param name in full: `l4.tls.server_name` */
  setValue(name: string, value: Value): void {
    this.#notes.values.set(name, value);
  }

  /** Sets a variable, which later handlers and matchers read. */
  setVariable(name: string, value: string): void {
    this.#notes.vars.set(name, value);
  }

  /** @returns "" for a variable that was not set */
  variable(name: string): string {
    return this.#notes.vars.get(name) ?? "";
  }

  /** The value of a placeholder; undefined for one that this connection does not have. */
  value(name: string): string | undefined {
    if (name.startsWith("l4.vars.")) {
      return this.variable(name.slice("l4.vars.".length));
    }
    if (name === "l4.conn.remote_addr") {
      return this.addresses.remote;
    }
    if (name === "l4.conn.local_addr") {
      return this.addresses.local;
    }
    const value = this.#notes.values.get(name);
    return value === undefined ? machineReader(name)?.() : typeof value === "string" ? value : value();
  }

  /** A text of the config with its placeholders filled in; unknown ones become empty. */
  fill(text: string): string {
    return text.includes("{")
      ? scanPlaceholders(text, () => true)
          .map((part) => (typeof part === "string" ? part : (this.value(part.name) ?? "")))
          .join("")
      : text;
  }

  /** Closes the connection immediately; unsent bytes are dropped. */
  destroy(): void {
    this.#stream.destroy();
  }
}
