import { type Dispatcher, request } from "undici";
import { isUnknownSetting } from "../clickhouse-errors.ts";
import type { Host } from "../hosts/host-pool.ts";
import { bodyBytes, type InsertBody, sentBody } from "../insert-body.ts";
import { answeredError, beginningOf } from "./answer-stream.ts";

export type Settings = Readonly<Record<string, string>>;

/** What a call sends besides its statement: where in a trace it stands. */
export type CallHeaders = Readonly<Record<string, string>>;

/**
 * Settings of statements that read rows which only newer servers know; reads are right without them.
 *
 * - These leave out parts whose least and greatest `start` say that no row can match, and take `toStartOfMinute` for monotonic then:
 *   with a span from before 1970 or after 2106 in a part, its minutes of 32 bits begin again, and all of the part is not seen.
 * - Long constants, such as the name of a type, get names of their own, and servers of a cluster do not know each other's
 *   (THERE_IS_NO_COLUMN).
 */
const newerSettings: Settings = { use_statistics_for_part_pruning: "0", optimize_const_name_size: "-1" };

/** One request to one server. A server that does not know an optional setting is asked again without it, and from then on. */
export class HostRequests {
  readonly #agent: Dispatcher;
  readonly #optional: ReadonlySet<string>;
  /** By server: optional settings that it does not know. */
  readonly #unknown = new Map<number, Set<string>>();

  /** @param optional names of settings that a statement is right without */
  constructor(agent: Dispatcher, optional: Iterable<string> = []) {
    this.#agent = agent;
    this.#optional = new Set([...Object.keys(newerSettings), ...optional]);
  }

  /**
   * A statement that reads rows of the server.
   * @returns the answer, whose body is not read yet
   * @throws ClickHouseError for another status than 200, or an error that came too late for it
   */
  ask(
    host: Host,
    query: Settings,
    body: Uint8Array,
    abort: AbortSignal,
    headers: CallHeaders = {},
  ): Promise<Dispatcher.ResponseData> {
    return this.send(host, { ...query, ...newerSettings }, body, abort, headers);
  }

  /** As `ask`, for any statement. @param body sent as it is; more than once where a setting is not known */
  async send(
    host: Host,
    query: Settings,
    body: InsertBody,
    abort: AbortSignal,
    headers: CallHeaders = {},
  ): Promise<Dispatcher.ResponseData> {
    const unknown = this.#unknown.get(host.index);
    try {
      return await this.#post(
        host,
        unknown === undefined ? query : without(query, unknown),
        body,
        abort,
        headers,
      );
    } catch (error) {
      if (!isUnknownSetting(error) || !this.#learn(host, query, String(error))) throw error;
      return await this.send(host, query, body, abort, headers);
    }
  }

  /** @returns whether the statement has fewer settings now */
  #learn({ index }: Host, query: Settings, error: string): boolean {
    const unknown = this.#unknown.get(index) ?? new Set<string>();
    const sent = Object.keys(query).filter((name) => this.#optional.has(name) && !unknown.has(name));
    if (sent.length === 0) return false;
    const named = sent.filter((name) => new RegExp(`\\b${name}\\b`).test(error));
    // An error that names none of them may be about any.
    for (const name of named.length === 0 ? sent : named) unknown.add(name);
    this.#unknown.set(index, unknown);
    return true;
  }

  async #post(
    host: Host,
    query: Settings,
    body: InsertBody,
    abort: AbortSignal,
    headers: CallHeaders,
  ): Promise<Dispatcher.ResponseData> {
    const target = new URL(host.url);
    target.search = new URLSearchParams(query).toString();
    const response = await request(target, {
      method: "POST",
      headers: {
        ...headers,
        authorization: host.authorization,
        "content-type": "application/octet-stream",
        "content-length": String(bodyBytes(body)),
        "user-agent": "tracing",
      },
      body: sentBody(body),
      signal: abort,
      dispatcher: this.#agent,
    });
    const code = response.headers["x-clickhouse-exception-code"];
    if (response.statusCode === 200 && code === undefined) return response;
    const text = await beginningOf(response.body);
    throw answeredError(text === "" && code !== undefined ? `Code: ${code}.` : text, response.statusCode);
  }
}

function without(query: Settings, names: ReadonlySet<string>): Settings {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)));
}
