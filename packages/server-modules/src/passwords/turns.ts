/** Work of one client that waits for its turn. */
export interface Waiting {
  /** The client that waits. */
  readonly client: string;
}

/**
 * A bounded queue that is fair between clients: a hundred attempts of one client delay another client by one. When
 * it is full, the newest work of the client that has the most gives way.
 */
export class Turns<Work extends Waiting> {
  /** The most work that may wait. */
  readonly max: number;
  /** In the order of turns: the first client is the next. */
  readonly #clients = new Map<string, Work[]>();
  /** Work that waits, over all clients. */
  #size = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns what has no place: another client's work, or this one */
  add(work: Work): Work | undefined {
    const own = this.#clients.get(work.client);
    let displaced: Work | undefined;
    if (this.#size >= this.max) {
      const longest = this.#longest();
      if (longest.length <= (own?.length ?? 0) + 1) {
        return work;
      }
      displaced = longest.at(-1);
      if (displaced !== undefined) {
        this.remove(displaced);
      }
    }
    if (own === undefined) {
      this.#clients.set(work.client, [work]);
    } else {
      own.push(work);
    }
    this.#size++;
    return displaced;
  }

  /** Takes the oldest work of the client whose turn it is. */
  next(): Work | undefined {
    for (const [client, works] of this.#clients) {
      const work = works.shift();
      this.#clients.delete(client);
      if (works.length > 0) {
        this.#clients.set(client, works);
      }
      if (work !== undefined) {
        this.#size--;
        return work;
      }
    }
    return undefined;
  }

  /** @returns true when the work was queued */
  remove(work: Work): boolean {
    const works = this.#clients.get(work.client);
    const index = works?.indexOf(work) ?? -1;
    if (works === undefined || index === -1) {
      return false;
    }
    works.splice(index, 1);
    this.#size--;
    if (works.length === 0) {
      this.#clients.delete(work.client);
    }
    return true;
  }

  /** Queued work of the client with the longest queue. */
  #longest(): Work[] {
    let longest: Work[] = [];
    for (const works of this.#clients.values()) {
      if (works.length > longest.length) {
        longest = works;
      }
    }
    return longest;
  }
}
