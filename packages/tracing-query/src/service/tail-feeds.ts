import { QueryError } from "../query-error.ts";
import { TailFeed, type TailFeedQuery, type TailFeedSettings, type TailListener } from "./tail-feed.ts";

/** Settings of all feeds together. */
export interface TailFeedsSettings extends TailFeedSettings {
  /** Maximum number of tail clients that may be connected at once. A further client is refused. */
  readonly maxClients: number;
}

/** A feed and the number of its followers. */
interface SharedFeed {
  readonly feed: TailFeed;
  clients: number;
}

/** The running feeds. Clients with the same query share a feed. */
export class TailFeeds {
  readonly #settings: TailFeedsSettings;
  readonly #feeds = new Map<string, SharedFeed>();
  #clients = 0;

  constructor(settings: TailFeedsSettings) {
    this.#settings = settings;
  }

  /**
   * Sends new spans to the listener until the signal is aborted.
   * @param from the cursor that the listener received last
   * @throws QueryError QUERY_BUSY when too many clients follow; StorageError; the signal's reason
   */
  async follow(
    query: TailFeedQuery,
    listener: TailListener,
    from: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const { maxClients } = this.#settings;
    if (this.#clients >= maxClients) {
      throw new QueryError(
        "QUERY_BUSY",
        `${this.#clients} clients follow already: --query.max-tail-clients allows no more`,
        { limit: { name: "query.max-tail-clients", value: maxClients } },
      );
    }
    const key = keyOf(query);
    const shared = this.#feeds.get(key) ?? { feed: new TailFeed(query, this.#settings), clients: 0 };
    this.#feeds.set(key, shared);
    this.#clients++;
    shared.clients++;
    let isOver = false;
    const leave = () => {
      if (isOver) {
        return;
      }
      isOver = true;
      this.#clients--;
      shared.feed.leave(listener);
      if (--shared.clients === 0) {
        shared.feed.stop();
        this.#feeds.delete(key);
      }
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await shared.feed.join(listener, from, signal);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

function keyOf({ filter, limit, tenant, bearerToken, access }: TailFeedQuery): string {
  const { tags, ...rest } = filter;
  const text = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify([rest, [...(tags ?? [])].sort(), limit, tenant, bearerToken, access?.role], text);
}
