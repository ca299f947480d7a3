/** A process that was converted before. */
export interface KnownProcess {
  /** The struct as it was received. */
  readonly source: Buffer;
  /** The same as an `api_v2` `Process` message. */
  readonly process: Buffer;
  /** Text of its first tag `client-uuid`; "" without one. */
  readonly clientUuid: string;
}

const slots = 16;
/** A larger one is converted again each time. */
const maxSourceBytes = 8_192;

/** The processes met last: clients send the same one with every batch, and an agent has a few clients. */
export class ProcessCache {
  readonly #known: KnownProcess[] = [];
  #last = 0;
  #next = 0;

  /**
   * Finds the process whose struct is at `start`. A struct that begins with the bytes of a known one is that
   * one, because those bytes include its end.
   */
  find(bytes: Buffer, start: number, end: number): KnownProcess | undefined {
    const last = this.#known[this.#last];
    if (last !== undefined && standsAt(last.source, bytes, start, end)) {
      return last;
    }
    for (let index = 0; index < this.#known.length; index++) {
      const known = this.#known[index];
      if (known !== undefined && standsAt(known.source, bytes, start, end)) {
        this.#last = index;
        return known;
      }
    }
    return undefined;
  }

  /** Adds a process instead of the oldest one. */
  keep(process: KnownProcess): void {
    if (process.source.length > maxSourceBytes) {
      return;
    }
    this.#known[this.#next] = process;
    this.#last = this.#next;
    this.#next = (this.#next + 1) % slots;
  }
}

function standsAt(source: Buffer, bytes: Buffer, start: number, end: number): boolean {
  const { length } = source;
  // The last bytes are compared first, because most processes begin with the same bytes.
  return (
    length <= end - start &&
    bytes[start + length - 2] === source[length - 2] &&
    source.compare(bytes, start, start + length) === 0
  );
}
