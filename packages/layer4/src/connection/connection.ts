// Life of a connection:
//
// | step | who acts | where the bytes are |
// |---|---|---|
// | accepted | `ConnectionListener` | in the paused socket |
// | matching | `Way` calls `peek`, matchers read `bytes` | in the socket; `bytes` is a copy |
// | a message for a handler | the handler calls `skip` | the message is removed, the rest stays |
// | taken | the handler calls `take` | the handler reads all bytes |
// | over TLS, throttle or tee | the handler calls `over` | in the stream of the next connection |
// | ended | the owner, or `Layer4Server` | gone |

import type { Duplex } from "node:stream";
import { machineReader } from "server-core/placeholders/machine-placeholders";
import { scanPlaceholders } from "server-core/placeholders/scan-placeholders";
import type { ConnectionAddresses } from "./addresses.ts";

/**
 * Maximum number of bytes that matchers may see. A client that sends more without matching a route is disconnected,
 * which bounds the memory of unmatched connections. Source: caddy-l4, `MaxMatchingBytes`
 */
export const maxMatchingBytes = 16 * 1024;

/**
 * The result of waiting for more bytes.
 *
 * - `more`: bytes arrived, and matchers can be asked again
 * - `ended`: the client ended its stream, or the connection is closed
 * - `full`: `maxMatchingBytes` are waiting already, the limit for matchers
 * - `late`: the deadline passed
 */
export type Peeked = "more" | "ended" | "full" | "late";

/** Value of a placeholder, or a function that computes it on use. */
type Value = string | (() => string);

/** True when the last byte has arrived. The event `end` comes only after reading. */
function hasEnded(stream: Duplex): boolean {
  const { _readableState: state } = stream as unknown as {
    readonly _readableState?: { readonly ended: boolean };
  };
  return stream.readableEnded || state?.ended === true;
}

/** Values that matchers and handlers store on a connection for later ones. */
interface Notes {
  /** Values of placeholders by full name: `l4.tls.server_name`. */
  readonly values: Map<string, Value>;
  /** Variables of the handler `vars`. */
  readonly vars: Map<string, string>;
}

/**
 * A connection that passes through routes. Matchers see its first bytes, which stay unread. The first handler that
 * reads takes the stream with all bytes. A handler that changes the stream, such as TLS, passes on another connection.
 */
export class Connection {
  readonly #stream: Duplex;
  readonly #notes: Notes;
  /** Copy of the bytes that waited in the stream at the last look. */
  #bytes: Buffer = Buffer.alloc(0);
  /** Number of bytes at the last look; more bytes wake `peek`. */
  #seen = 0;
  /** True once a handler has taken the stream; a second reader would get only a part of the bytes. */
  #isTaken = false;
  /** Both ends; a PROXY protocol header replaces them. */
  addresses: ConnectionAddresses;
  /** True for datagrams, false for a stream of bytes. */
  readonly isPacket: boolean;

  /** @param notes variables shared with the connection below; absent: a new connection */
  constructor(stream: Duplex, addresses: ConnectionAddresses, isPacket = false, notes?: Notes) {
    this.#stream = stream;
    // Without this listener, a stream error would end the thread. A reader still sees the end of the stream.
    stream.on("error", () => {});
    this.addresses = addresses;
    this.isPacket = isPacket;
    const startedAt = new Date();
    this.#notes = notes ?? {
      values: new Map<string, Value>([["l4.conn.wrap_time", () => startedAt.toISOString()]]),
      vars: new Map(),
    };
  }

  /** Received bytes that no handler has taken. The last chunk may exceed {@link maxMatchingBytes}. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** True when the stream is destroyed, by either side. */
  get isClosed(): boolean {
    return this.#stream.destroyed;
  }

  /** The stream below the connection; only for inspection. Only {@link take} allows reading. */
  get stream(): Duplex {
    return this.#stream;
  }

  /**
   * Waits for more bytes than the current ones.
   * @param deadlineAt time on the clock of `performance.now()`
   * @returns `full` when matchers have seen the limit, `late` at the deadline, `ended` when no more bytes will arrive
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

  /**
   * Copies all waiting bytes, and puts them back at once. A stream that has ended while empty accepts no bytes back.
   */
  #look(): boolean {
    const stream = this.#stream;
    // Putting bytes back also emits `readable`.
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
   * Returns the stream with all received bytes. The taker reads it to the end, or destroys it.
   * @throws TypeError for a second call, which is a bug
   */
  take(): Duplex {
    if (this.#isTaken) {
      throw new TypeError("a connection is taken once");
    }
    this.#isTaken = true;
    return this.#stream;
  }

  /** Removes the first bytes, which were for the calling handler. @param count at most the length of {@link bytes} */
  skip(count: number): void {
    // Without a count, `read` might return only the first chunk.
    if (count > 0) {
      this.#stream.read(count);
    }
    this.#bytes = Buffer.from(this.#bytes.subarray(count));
    this.#seen = this.#bytes.length;
  }

  /** Creates a connection for the next handlers, over a stream inside this one. */
  over(stream: Duplex): Connection {
    return new Connection(stream, this.addresses, this.isPacket, this.#notes);
  }

  /** Sets the value of a placeholder. @param name full name: `l4.tls.server_name` */
  setValue(name: string, value: Value): void {
    this.#notes.values.set(name, value);
  }

  /** Sets a variable, which later handlers and matchers read. */
  setVariable(name: string, value: string): void {
    this.#notes.vars.set(name, value);
  }

  /** @returns "" for an unset variable */
  variable(name: string): string {
    return this.#notes.vars.get(name) ?? "";
  }

  /** The value of a placeholder; undefined for an unknown one. */
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

  /** Replaces the placeholders in a config text; unknown ones become empty. */
  fill(text: string): string {
    return text.includes("{")
      ? scanPlaceholders(text, () => true)
          .map((part) => (typeof part === "string" ? part : (this.value(part.name) ?? "")))
          .join("")
      : text;
  }

  /** Closes the connection at once; unsent bytes are dropped. */
  destroy(): void {
    this.#stream.destroy();
  }
}
