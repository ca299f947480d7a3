import type { Readable } from "node:stream";
import type { ServerError } from "server-core/errors";
import { type BodySource, H2Body } from "./h2-body.ts";
import { H2Tunnel } from "./h2-tunnel.ts";

/** Bytes of an unread body that are received and dropped before the client must stop. */
const maxDroppedBytes = 256 * 1024;

/** The stream, as far as a body needs it. */
export interface BodyStream extends BodySource {
  /** Bytes of the body were consumed, so the client may send that many again. */
  bodyTaken(bytes: number): void;
}

/** The body of one request, or the data in a tunnel: stores early bytes, passes them on, or drops them. */
export class H2RequestBody {
  readonly #stream: BodyStream;
  #reader: H2Body | H2Tunnel | undefined;
  /** Chunks that were not requested yet. */
  #early: Buffer[] = [];
  /** Bytes of the declared length that have not arrived yet; -1: no length was declared. */
  #left: number;
  #droppedBytes = 0;
  #fault: ServerError | undefined;
  /** True when the client has sent everything. */
  ended: boolean;
  /** The reader has room. */
  wanted = false;
  /** True when some of it was read. */
  touched = false;
  /** Bytes that were given to the reader or taken as a whole. */
  givenBytes = 0;
  /** True when arriving bytes are dropped. */
  dropping = false;
  /** Time when bytes last arrived, as of `Date.now()`; before the first bytes: when its stream was opened. */
  at: number;
  /** Number of bytes that arrived. */
  bytes = 0;

  /** @param length as declared; -1: none was declared. @param ended true: the request has only a head */
  constructor(stream: BodyStream, length: number, ended: boolean, now: number) {
    this.#stream = stream;
    this.#left = length;
    this.ended = ended;
    this.at = now;
  }

  /** The body for handlers, made on first use. @param isOver true: no more data arrives if it is made now */
  reader(isOver: boolean): Readable {
    if (this.#reader === undefined) {
      this.#reader = new H2Body(this.#stream);
      if (this.#fault !== undefined) {
        this.#reader.destroy(this.#fault);
      } else if (isOver) {
        this.#reader.push(null);
      }
    }
    return this.#reader;
  }

  /** From now on a tunnel gets the arriving bytes. */
  leaveTo(tunnel: H2Tunnel): void {
    this.#reader = tunnel;
  }

  get isTunnel(): boolean {
    return this.#reader instanceof H2Tunnel;
  }

  /** The whole body when it is complete and unread; otherwise undefined. */
  get whole(): Buffer | undefined {
    if (!this.ended || this.touched || this.#early.length === 0) {
      return undefined;
    }
    const [first, ...more] = this.#early;
    if (more.length > 0) {
      this.#early = [Buffer.concat(this.#early)];
    }
    const whole = more.length > 0 ? this.#early[0] : first;
    this.givenBytes = whole?.length ?? 0;
    return whole;
  }

  /** True when the declared rest is small enough to be dropped. */
  get isDroppable(): boolean {
    return this.#left <= maxDroppedBytes;
  }

  /** True when so much was dropped that the stream must be reset. */
  get isOverDropped(): boolean {
    return this.#droppedBytes > maxDroppedBytes;
  }

  /** The reader has space: it gets the available bytes. */
  read(): void {
    if (!this.touched) {
      this.touched = true;
      this.givenBytes = 0; // Reading `whole` does not count as reading the body.
    }
    this.wanted = true;
    this.handOn();
  }

  /** Bytes arrived. @param piece valid only during the call. @returns false when more arrived than was declared */
  receive(piece: Buffer): boolean {
    this.at = Date.now();
    this.bytes += piece.length;
    if (this.#left >= 0) {
      this.#left -= piece.length;
      if (this.#left < 0) {
        return false;
      }
    }
    if (this.dropping) {
      this.#stream.bodyTaken(piece.length);
      this.#droppedBytes += piece.length;
    } else if (piece.length > 0) {
      this.#early.push(Buffer.from(piece));
      this.handOn();
    }
    return true;
  }

  /** The client has sent everything. @returns false when that is less than declared */
  end(): boolean {
    if (this.#left > 0) {
      return false;
    }
    this.ended = true;
    return true;
  }

  /** Gives the reader as much as it has space for. */
  handOn(): void {
    const reader = this.#reader;
    if (reader === undefined || !this.wanted) {
      return;
    }
    while (this.wanted) {
      const chunk = this.#early.shift();
      if (chunk === undefined) {
        break;
      }
      this.#stream.bodyTaken(chunk.length);
      this.givenBytes += chunk.length;
      this.wanted = reader.push(chunk);
    }
    if (this.ended && this.#early.length === 0) {
      this.wanted = false;
      reader.push(null);
    }
  }

  /** The rest will not be read. */
  drop(): void {
    this.dropping = true;
    for (const chunk of this.#early) {
      this.#stream.bodyTaken(chunk.length);
    }
    this.#early = [];
  }

  /** The body is late; its reader gets the error. */
  fail(error: ServerError): void {
    this.#fault = error;
    this.drop();
    this.#reader?.destroy(error);
  }

  /** Its stream has closed. @param isCut true: the request or response was incomplete, so the reader gets an error */
  lost(error: ServerError, isCut: boolean): void {
    const reader = this.#reader;
    if (reader instanceof H2Tunnel) {
      reader.destroy();
      return;
    }
    this.#fault = error;
    if (isCut && reader !== undefined && !reader.readableEnded && !reader.destroyed) {
      reader.destroy(error);
    }
  }
}
