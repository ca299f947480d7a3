/** Waiting work of one client. */
export interface Waiting {
  readonly client: string;
}

/**
 * A bounded queue that is fair between clients: a hundred waiting attempts of one client delay another client by one
 * attempt. When the queue is full, the client with most work loses its newest work.
 */
export class Turns<Work extends Waiting> {
  /** Maximum number of pieces of work that may wait; further work is refused. */
  readonly max: number;
  /** Work by client, in the order of turns: the first client is next. */
  readonly #clients = new Map<string, Work[]>();
  /** Amount of waiting work, over all clients. */
  #size = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the work that had to leave the queue: another client's, or the new one; undefined for none */
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

  /** Takes the oldest work of the next client. */
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
