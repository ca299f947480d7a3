import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Maximum number of requests of one thread that are recorded at the same time; further requests are only counted. */
const places = 128;
/** Size in bytes of a slot: used, method, lengths of host, address and path, then these three texts. */
const placeBytes = 384;
const maxHostBytes = 80;
const maxAddressBytes = 48;
const textOffset = 6;
const maxPathBytes = placeBytes - textOffset - maxHostBytes - maxAddressBytes;
const countBytes = 8;

/** Size in bytes of one thread's records. */
export const underWayBytes = countBytes + places * placeBytes;

/** Methods that are stored as a number; other methods are stored before their path. */
const methods = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"];

/** Writes the start of a byte text. For few characters, a loop takes half the time of `Buffer.write`. */
function write(bytes: Buffer, text: string, at: number, length: number): number {
  for (let index = 0; index < length; index++) {
    bytes[at + index] = text.charCodeAt(index);
  }
  return length;
}

/**
 * A request that was running in a thread when the thread ended. The record contains no fields and no query, because
 * they may contain secrets.
 */
export interface UnfinishedRequest {
  readonly method: string;
  /** Host without its port. */
  readonly host: string;
  /** Path without its query, which may contain secrets. */
  readonly path: string;
  /** The peer's address; "" for a request that was still in its first turn of the event loop. */
  readonly remote: string;
}

/** Requests that a thread had when it died. */
export interface RequestsLeft {
  /** The recorded requests; further requests are only counted in `more`. */
  readonly requests: UnfinishedRequest[];
  /** Running requests that were not recorded, because the records were full. */
  readonly more: number;
}

/** Name of the shared memory of a thread. */
export function underWayName(thread: number): string {
  return `http.requests_under_way/${thread}`;
}

/** The records of each thread, kept when the config changes. */
export const requestsUnderWay: ResourceKind<RequestsUnderWay> = { name: "http.requests_under_way" };

/**
 * Records the requests of this thread in shared memory, so that the log can name them when the thread dies: a thread
 * without memory cannot report them. A record takes a tenth of a microsecond.
 */
export class RequestsUnderWay implements SharedResource {
  readonly #bytes: Buffer;
  readonly #count: Int32Array;
  readonly #free = Int32Array.from({ length: places }, (_, index) => places - 1 - index);
  #freeCount = places;
  /** The last texts that were written to each slot. Clients repeat requests, so a slot often needs no new text. */
  readonly #said = Array.from({ length: places }, () => ({ method: "", host: "", target: "" }));

  /** @param memory shared memory with {@link underWayBytes} bytes */
  constructor(memory: SharedArrayBuffer) {
    this.#bytes = Buffer.from(memory);
    this.#count = new Int32Array(memory, 0, 1);
    this.#bytes.fill(0); // the records of the thread before this one were read when that thread ended
  }

  /** @returns the slot of its record; -1: all slots are in use */
  begin(method: string, host: string, target: string): number {
    this.#add(1);
    if (this.#freeCount === 0) {
      return -1;
    }
    const place = this.#free[--this.#freeCount] as number;
    const bytes = this.#bytes;
    const at = countBytes + place * placeBytes;
    const said = this.#said[place] as { method: string; host: string; target: string };
    if (said.target === target && said.host === host && said.method === method) {
      bytes[at + 3] = 0;
      bytes[at] = 1;
      return place;
    }
    said.method = method;
    said.host = host;
    // A long text is not kept in memory for a request that may never be repeated.
    said.target = target.length > maxPathBytes ? "" : target;
    const known = methods.indexOf(method);
    const path = known === -1 ? `${method} ${target}` : target;
    const query = path.indexOf("?");
    const end = query === -1 ? path.length : query;
    bytes[at + 1] = known + 1;
    bytes[at + 2] = write(bytes, host, at + textOffset, Math.min(host.length, maxHostBytes));
    bytes[at + 3] = 0;
    const pathBytes = write(
      bytes,
      path,
      at + textOffset + maxHostBytes + maxAddressBytes,
      Math.min(end, maxPathBytes),
    );
    bytes[at + 4] = pathBytes & 0xff;
    bytes[at + 5] = pathBytes >> 8;
    bytes[at] = 1;
    return place;
  }

  /** Adds the client's address to the record of a request that does not end in its first turn of the event loop. */
  addRemote(place: number, address: string): void {
    if (place >= 0) {
      const at = countBytes + place * placeBytes;
      this.#bytes[at + 3] = write(
        this.#bytes,
        address,
        at + textOffset + maxHostBytes,
        Math.min(address.length, maxAddressBytes),
      );
    }
  }

  end(place: number): void {
    this.#add(-1);
    if (place >= 0) {
      this.#bytes[countBytes + place * placeBytes] = 0;
      this.#free[this.#freeCount++] = place;
    }
  }

  /** Called when no config serves any more. */
  close(): void {
    this.#bytes.fill(0);
    for (const said of this.#said) {
      said.target = "";
    }
  }

  #add(amount: number): void {
    this.#count[0] = (this.#count[0] as number) + amount;
  }
}

/** Reads the records that an ended thread has left. */
export function readRequestsLeft(memory: SharedArrayBuffer): RequestsLeft {
  const bytes = Buffer.from(memory);
  const requests: UnfinishedRequest[] = [];
  for (let place = 0; place < places; place++) {
    const at = countBytes + place * placeBytes;
    if (bytes[at] !== 1) {
      continue;
    }
    const text = (from: number, length: number) => bytes.toString("latin1", from, from + length);
    const path = text(
      at + textOffset + maxHostBytes + maxAddressBytes,
      (bytes[at + 4] ?? 0) + ((bytes[at + 5] ?? 0) << 8),
    );
    const known = methods[(bytes[at + 1] ?? 0) - 1];
    const blank = path.indexOf(" ");
    requests.push({
      method: known ?? path.slice(0, blank),
      host: text(at + textOffset, bytes[at + 2] ?? 0),
      path: known === undefined ? path.slice(blank + 1) : path,
      remote: text(at + textOffset + maxHostBytes, bytes[at + 3] ?? 0),
    });
  }
  const count = new Int32Array(memory, 0, 1)[0] ?? 0;
  return { requests, more: Math.max(0, count - requests.length) };
}
