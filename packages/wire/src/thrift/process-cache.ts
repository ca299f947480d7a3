/** A process that was converted before. */
export interface KnownProcess {
  /** Bytes of the struct as received. */
  readonly source: Buffer;
  /** The process as an `api_v2` `Process` message. */
  readonly process: Buffer;
  /** Text of the first tag `client-uuid`; "" without such a tag. */
  readonly clientUuid: string;
}

const slots = 16;
/** Size limit of a cached struct in bytes; a larger struct is converted each time. */
const maxSourceBytes = 8_192;

/** Cache of recent processes: clients send the same process with every batch, and an agent has few clients. */
export class ProcessCache {
  readonly #known: KnownProcess[] = [];
  #last = 0;
  #next = 0;

  /**
   * Finds the process whose struct starts at `start`. If the bytes at `start` begin with a cached struct, the struct
   * there is the same, because the cached bytes include its end.
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

  /** Adds a process in place of the oldest process. */
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
  // The last bytes are compared first, because most processes have the same first bytes.
  return (
    length <= end - start &&
    bytes[start + length - 2] === source[length - 2] &&
    source.compare(bytes, start, start + length) === 0
  );
}
