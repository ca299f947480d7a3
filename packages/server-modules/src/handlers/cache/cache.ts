import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import {
  getHeader,
  getHeaders,
  type HeaderList,
  removeHeaders,
  setContentLength,
  setHeader,
} from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { markImmutable } from "http-engine/immutable-body-cache";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { checkPreconditions, parseHttpDate } from "../../files/preconditions.ts";
import { addressOf, type CacheAddress } from "./cache-address.ts";
import { cacheDefaults, sharedCacheFields } from "./cache-app.ts";
import { parseCacheControl } from "./cache-control.ts";
import { CacheFilter, type CacheWatcher } from "./cache-filter.ts";
import { ChangedUrls, changedUrlsBytes } from "./changed-urls.ts";
import {
  type Moment,
  type Purge,
  purgeTopic,
  ResponseStore,
  responseStores,
  stateTopic,
} from "./response-store.ts";
import { type CachedRequest, isStorable, StoredResponse } from "./stored-response.ts";

/** Default size of the store, in bytes. */
const defaultMaxBytes = 64 * 1024 * 1024;
const defaultMaxObjectBytes = 1024 * 1024;

const configSchema = z.strictObject({
  /**
   * Configs with the same limit share one store in each thread, and the store outlives reloads. A changed number starts
   * with an empty store.
   */
  max_bytes: z
    .int()
    .positive()
    .nullish()
    .describe("Memory of all responses, in each worker thread (64 MiB); the least lately used go first."),
  /** The limit is at most `max_bytes`. A larger response passes without being stored. */
  max_object_bytes: z.int().positive().nullish().describe("The largest body that is kept (1 MiB)."),
  /** Default: a tenth of the time since `Last-Modified`, at most a day. */
  default_ttl: configDuration()
    .nullish()
    .describe(
      "How long responses are fresh that do not say it themselves (by their time of change, if any).",
    ),
  ...sharedCacheFields,
});

/**
 * Methods that change a resource. After a 2xx or 3xx response, the stored response of the URL is removed. Source: RFC
 * 9111, section 4.4
 */
const unsafe = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/**
 * Conditional headers of the client. For a revalidation, the cache sends the conditions of the stored response instead.
 */
const conditions = new Set([
  "if-none-match",
  "if-modified-since",
  "if-match",
  "if-unmodified-since",
  "if-range",
]);

/** Adds the field `Cache-Status`. Source: RFC 9211 */
function status(exchange: Exchange, text: string): void {
  exchange.responseHeaders.push("Cache-Status", `${exchange.server.product}; ${text}`);
}

/** Answers from the store, and evaluates the client's conditions first. */
function serve(exchange: Exchange, stored: StoredResponse, how: string): void {
  const headers = exchange.responseHeaders;
  const own = new Set<string>();
  for (let index = 0; index < stored.headers.length; index += 2) {
    own.add((stored.headers[index] ?? "").toLowerCase());
  }
  removeHeaders(headers, (name) => own.has(name));
  headers.push(...stored.headers, "Age", String(Math.floor(stored.age())));
  status(exchange, how);
  const modified = parseHttpDate(getHeader(headers, "last-modified") ?? "");
  const condition = checkPreconditions(exchange, {
    etag: getHeader(headers, "etag") ?? "",
    modifiedMs: modified === undefined ? undefined : modified * 1000,
  });
  if (condition === "not modified" && stored.status === 200) {
    removeHeaders(headers, (name) => name === "content-type" || name === "content-encoding");
    exchange.respond(304);
    return;
  }
  setContentLength(headers, stored.body.length);
  exchange.respond(stored.status, exchange.method === "HEAD" ? "" : stored.body);
}

/** A response of the origin, and the decision to store or drop it. */
class OriginAnswer {
  readonly #product: string;
  readonly #stored: StoredResponse | undefined;
  readonly #isStorable: (status: number, headers: HeaderList) => boolean;
  /** `default_cache_control`; "" for none. */
  readonly #cacheControl: string;
  /** Status and header fields of the origin; undefined until they arrive. */
  head: { readonly status: number; readonly headers: HeaderList } | undefined;

  /** @param stored the response that the origin should confirm; undefined when none is stored */
  constructor(
    product: string,
    stored: StoredResponse | undefined,
    storable: (status: number, headers: HeaderList) => boolean,
    cacheControl: string,
  ) {
    this.#cacheControl = cacheControl;
    this.#product = product;
    this.#stored = stored;
    this.#isStorable = storable;
  }

  /** @returns `drop` when the stored response is sent instead, `keep` when the body is stored while it passes */
  take(status: number, headers: HeaderList): "drop" | "keep" | "pass" {
    const stored = this.#stored;
    if (stored !== undefined && (status === 304 || (status >= 500 && stored.usableOnError()))) {
      this.head = { status, headers };
      return "drop";
    }
    const hasOwn = getHeader(headers, "cache-control") !== undefined;
    if (this.#cacheControl !== "" && !hasOwn && status >= 200 && status < 400) {
      headers.push("Cache-Control", this.#cacheControl);
    }
    const keep = this.#isStorable(status, headers);
    this.head = { status, headers: [...headers] };
    const how = `fwd=${stored === undefined ? "miss" : "stale"}${keep ? "; stored" : ""}`;
    headers.push("Cache-Status", `${this.#product}; ${how}`);
    return keep ? "keep" : "pass";
  }
}

/**
 * Stores responses in memory and answers from the store. In Caddy, a plugin does this.
 * | Stored response | Then | `Cache-Status` |
 * |---|---|---|
 * | none | the origin answers | `fwd=miss`, with `stored` when the response is stored |
 * | fresh | the store answers | `hit; ttl=…` |
 * | stale, within `stale-while-revalidate`, while another request revalidates | the store answers | `hit; detail=stale` |
 * | stale | the origin is asked, with the validators of the stored response | `fwd=stale` |
 * | stale, and the origin answers 304 | the store answers; the response is fresh again | `hit; fwd=stale; fwd-status=304` |
 * | stale, and the origin fails, within `stale-if-error` | the store answers | `hit; detail=stale-if-error` |
 * Source: RFC 9111, RFC 5861, RFC 9211
 */
class Cache implements HttpHandler {
  /** The response store of this thread. */
  readonly #store: ResponseStore;
  /** Path of this handler's config, a part of its addresses. */
  readonly #path: string;
  /** Maximum number of bytes of a body. A longer body passes without being stored. */
  readonly #maxObjectBytes: number;
  /** `default_ttl` in seconds. */
  readonly #fallbackSeconds: number;
  /** `default_cache_control`; "" for none. */
  readonly #cacheControl: string;

  constructor(
    store: ResponseStore,
    settings: { path: string; maxObjectBytes: number; fallbackSeconds: number; cacheControl: string },
  ) {
    this.#store = store;
    this.#path = settings.path;
    this.#maxObjectBytes = settings.maxObjectBytes;
    this.#fallbackSeconds = settings.fallbackSeconds;
    this.#cacheControl = settings.cacheControl;
  }

  handle(exchange: Exchange, next: Next): void | Promise<void> {
    const address = addressOf(exchange, this.#path);
    if (unsafe.has(exchange.method)) {
      exchange.beforeHead((_headers, code) => {
        if (code >= 200 && code < 400) {
          this.#store.invalidate(address);
        }
      });
      return next(exchange);
    }
    const isRead = exchange.method === "GET" || exchange.method === "HEAD";
    if (
      !isRead ||
      exchange.stream.upgradeProtocol !== "" ||
      exchange.header("range") !== "" ||
      exchange.hasBody
    ) {
      return next(exchange);
    }
    const request = { method: exchange.method, headers: exchange.requestHeaders };
    const stored = this.#store.find(address, request);
    const use = stored?.use(request) ?? "revalidate";
    if (
      stored !== undefined &&
      (use === "fresh" || (use === "stale" && this.#store.refreshing.has(address.key)))
    ) {
      serve(
        exchange,
        stored,
        use === "fresh" ? `hit; ttl=${Math.floor(stored.timeToLive())}` : "hit; detail=stale",
      );
      return undefined;
    }
    if (parseCacheControl(getHeaders(request.headers, "cache-control")).has("only-if-cached")) {
      throw new HttpError(504, "not in the cache, and the client wants nothing else");
    }
    return this.#ask(exchange, next, address, stored);
  }

  async #ask(
    exchange: Exchange,
    next: Next,
    address: CacheAddress,
    stored: StoredResponse | undefined,
  ): Promise<void> {
    const since = this.#store.moment(address);
    const asked: HeaderList = exchange.requestHeaders;
    const request = { method: exchange.method, headers: asked };
    if (stored !== undefined) {
      exchange.changeRequestHeaders((headers) => this.#revalidate(headers, stored));
    }
    const before = [...exchange.responseHeaders];
    const origin = new OriginAnswer(
      exchange.server.product,
      stored,
      (status, headers) => isStorable(request, status, headers, this.#fallbackSeconds),
      this.#cacheControl,
    );
    const watcher = this.#watch(origin, { address, request, since });
    const filter = exchange.interceptResponse(
      (below) => new CacheFilter(below, watcher, this.#maxObjectBytes),
    );
    /** Runs the handlers again, with the state of the original request. */
    const restart = () => {
      exchange.requestHeaders = asked;
      exchange.restartResponse(filter.below);
      exchange.responseHeaders = before;
    };
    this.#store.refreshing.add(address.key);
    try {
      await next(exchange);
    } catch (error) {
      if (
        stored === undefined ||
        HttpError.from(error).status < 500 ||
        exchange.headSent ||
        !stored.usableOnError()
      ) {
        throw error;
      }
      restart();
      serve(exchange, stored, "hit; detail=stale-if-error");
      return;
    } finally {
      this.#store.refreshing.delete(address.key);
    }
    const { head } = origin;
    if (!filter.dropped || stored === undefined || head === undefined) {
      return;
    }
    restart();
    if (head.status !== 304) {
      serve(exchange, stored, "hit; detail=stale-if-error");
      return;
    }
    const confirmed = stored.confirmed(request, head.headers, this.#fallbackSeconds);
    this.#store.put(address, request, confirmed, since);
    serve(exchange, confirmed, "hit; fwd=stale; fwd-status=304");
  }

  /** Passes the head of a response to `origin`, and stores a response to keep once its body is complete. */
  #watch(
    origin: OriginAnswer,
    asked: { readonly address: CacheAddress; readonly request: CachedRequest; readonly since: Moment },
  ): CacheWatcher {
    return {
      head: (status, headers) => origin.take(status, headers),
      whole: (body) => {
        const { head } = origin;
        if (head !== undefined) {
          markImmutable(body);
          const response = new StoredResponse(asked.request, {
            ...head,
            body,
            fallbackSeconds: this.#fallbackSeconds,
          });
          this.#store.put(asked.address, asked.request, response, asked.since);
        }
      },
    };
  }

  /** Sets the validators of the stored response on the request to the origin. The client's validators are removed. */
  #revalidate(headers: HeaderList, stored: StoredResponse): void {
    removeHeaders(headers, (name) => conditions.has(name));
    const etag = getHeader(stored.headers, "etag");
    const modified = getHeader(stored.headers, "last-modified");
    if (etag !== undefined) {
      setHeader(headers, "If-None-Match", etag);
    }
    if (modified !== undefined) {
      setHeader(headers, "If-Modified-Since", modified);
    }
  }
}

/**
 * `{ "handler": "cache", "max_bytes": 67108864, "default_ttl": "5m" }`. Responses with `Set-Cookie`, `private` or
 * `no-store` are not stored. Responses to requests with `Authorization` are not stored either, unless the response
 * allows it.
 */
export const cache = defineModule({
  id: "http.handlers.cache",
  config: configSchema,
  async provision(config, context): Promise<HttpHandler> {
    const maxBytes = config.max_bytes ?? defaultMaxBytes;
    const changes = new ChangedUrls(
      await context.shared.memory("http.handlers.cache/changes", changedUrlsBytes),
    );
    const { value: store } = await context.acquire(
      responseStores,
      String(maxBytes),
      () => new ResponseStore(maxBytes, changes),
    );
    const stores = () => context.resources(responseStores);
    context.messages.on(purgeTopic, (purge) =>
      stores().reduce((sum, each) => sum + each.purge(purge as Purge), 0),
    );
    context.messages.on(stateTopic, () => stores().map((each) => each.state()));
    const maxObjectBytes = Math.min(config.max_object_bytes ?? defaultMaxObjectBytes, maxBytes);
    const defaults = cacheDefaults(context);
    const fallbackSeconds = (config.default_ttl ?? config.ttl ?? defaults.ttl ?? 0) / 1000;
    const cacheControl = config.default_cache_control ?? defaults.default_cache_control ?? "";
    return new Cache(store, { path: context.path, maxObjectBytes, fallbackSeconds, cacheControl });
  },
});
