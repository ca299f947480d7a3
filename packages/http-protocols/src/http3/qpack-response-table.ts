import { Http3Error, http3Errors } from "./http3-error.ts";
import { encoderInstructions } from "./qpack-instructions.ts";

/** Size limit of the table in bytes, as in HTTP/2. A client may allow less. */
const maxCapacityBytes = 4_096;
/** Bytes that QPACK adds to the name and value of each entry. Source: RFC 9204, section 3.2.1 */
const entryOverheadBytes = 32;
/** Longer fields are never inserted: a few of them would fill the table. */
const maxFieldBytes = 1_024;
/** Maximum number of remembered fields that were sent once. A field that is sent again is inserted. */
const maxCandidates = 64;
/** Maximum number of sections that the client has not acknowledged. Above it, sections use only the static table. */
const maxUnacknowledged = 256;

/** Fields whose values rarely repeat. They would fill the table, because entries are never removed. */
const changing: ReadonlySet<string> = new Set([
  ...["age", "content-length", "content-range", "date", "etag", "expires", "last-modified", "location"],
]);

const malformed = (message: string) => new Http3Error(http3Errors.qpackDecoderStreamError, message);

/**
 * Fields of responses that the client remembers by number. A field is inserted when it is sent for the second time, and
 * used from the client's acknowledgment on. Some clients acknowledge only sections, so one section at a time may name
 * entries that may not have arrived; only its stream can wait for them. Entries are never removed: a full table stays as
 * it is. Source: RFC 9204, sections 2.1 and 3.2
 */
export class ResponseFieldTable {
  readonly #send: (instruction: Buffer) => boolean;
  /** Numbers of the inserted fields, by `name: value`. */
  readonly #entries = new Map<string, number>();
  readonly #candidates = new Set<string>();
  /** Required insert counts of sections that the client has not acknowledged, by stream ID. */
  readonly #unacknowledged = new Map<number, number[]>();
  #unacknowledgedCount = 0;
  #leftBytes = 0;
  /** Number of entries that the client has acknowledged. */
  #known = 0;
  /** True when the client accepts sections that may wait for entries. */
  #mayWait = false;
  /** The section that may wait; undefined for none. */
  #waiting: { readonly streamId: number; readonly required: number } | undefined;

  /** @param send sends an instruction to the client's decoder. @returns false when it cannot be sent */
  constructor(send: (instruction: Buffer) => boolean) {
    this.#send = send;
  }

  /** Number of entries that sections may name. */
  get base(): number {
    if (this.#unacknowledgedCount >= maxUnacknowledged) {
      return 0;
    }
    return this.#mayWait && this.#waiting === undefined ? this.#entries.size : this.#known;
  }

  /**
   * Applies the limits of the client's SETTINGS. @param capacity 0: no table @param blockedStreams streams that may wait
   * for entries
   */
  allow(capacity: number, blockedStreams: number): void {
    this.#mayWait = blockedStreams > 0;
    const bytes = Math.min(capacity, maxCapacityBytes);
    if (bytes > entryOverheadBytes && this.#send(encoderInstructions.capacity(bytes))) {
      this.#leftBytes = bytes;
    }
  }

  /**
   * The number of a field that a section with this base may name; undefined for others. A field that is sent again is
   * inserted. @param field `name: value`
   */
  find(field: string, name: string, base: number): number | undefined {
    const number = this.#entries.get(field);
    if (number !== undefined) {
      return number < base ? number : undefined;
    }
    if (this.#leftBytes > entryOverheadBytes && field.length <= maxFieldBytes && !changing.has(name)) {
      this.#learn(field, name);
    }
    return undefined;
  }

  /** A section that names entries was written to a stream. @param required number of entries that it needs */
  written(streamId: number, required: number): void {
    const sections = this.#unacknowledged.get(streamId);
    if (sections === undefined) {
      this.#unacknowledged.set(streamId, [required]);
    } else {
      sections.push(required);
    }
    this.#unacknowledgedCount++;
    if (required > this.#known) {
      this.#waiting = { streamId, required };
    }
  }

  /** The client has decoded the oldest section of a stream. @throws Http3Error QPACK_DECODER_STREAM_ERROR */
  acknowledged(streamId: number): void {
    const sections = this.#unacknowledged.get(streamId);
    const required = sections?.shift();
    if (sections === undefined || required === undefined) {
      throw malformed("a section is acknowledged that names no entry");
    }
    if (sections.length === 0) {
      this.#unacknowledged.delete(streamId);
    }
    this.#unacknowledgedCount--;
    this.#knows(Math.max(this.#known, required));
  }

  /** The client decodes no more sections of a stream. */
  cancelled(streamId: number): void {
    this.#unacknowledgedCount -= this.#unacknowledged.get(streamId)?.length ?? 0;
    this.#unacknowledged.delete(streamId);
    if (this.#waiting?.streamId === streamId) {
      this.#waiting = undefined;
    }
  }

  /** The client has received further entries. @throws Http3Error QPACK_DECODER_STREAM_ERROR */
  received(count: number): void {
    if (count === 0 || this.#known + count > this.#entries.size) {
      throw malformed("an entry is acknowledged that was never sent");
    }
    this.#knows(this.#known + count);
  }

  #knows(count: number): void {
    this.#known = count;
    if (this.#waiting !== undefined && this.#waiting.required <= count) {
      this.#waiting = undefined;
    }
  }

  #learn(field: string, name: string): void {
    const bytes = field.length - ": ".length + entryOverheadBytes;
    if (!this.#candidates.delete(field)) {
      this.#candidates.add(field);
      if (this.#candidates.size > maxCandidates) {
        const [oldest] = this.#candidates;
        this.#candidates.delete(oldest as string);
      }
    } else if (bytes <= this.#leftBytes) {
      const value = field.slice(name.length + ": ".length);
      if (this.#send(encoderInstructions.insert(name, value))) {
        this.#leftBytes -= bytes;
        this.#entries.set(field, this.#entries.size);
      }
    }
  }
}
