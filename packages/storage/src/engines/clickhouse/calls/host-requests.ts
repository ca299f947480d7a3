import { type Dispatcher, request } from "undici";
import { isUnknownSetting } from "../clickhouse-errors.ts";
import type { Host } from "../hosts/host-pool.ts";
import { bodyBytes, type InsertBody, sentBody } from "../insert-body.ts";
import { answeredError, beginningOf } from "./answer-stream.ts";

export type Settings = Readonly<Record<string, string>>;

/** Additional headers of a call: the trace context. */
export type CallHeaders = Readonly<Record<string, string>>;

/** A request to one server. */
export interface HostRequest {
  /**
   * Parameters in the request's address: settings of the statement, and the statement itself when `body` contains rows.
   */
  readonly query: Settings;
  /** The statement, or the rows of an insert. The body is sent again when the server does not know a setting. */
  readonly body: InsertBody;
  /** Ends the request, and also the statement in the server when the settings say so. */
  readonly abort: AbortSignal;
  /** Default: no headers. */
  readonly headers?: CallHeaders;
}

/**
 * Settings that older servers may not know. Reads return the same rows without these settings.
 *
 * - `use_statistics_for_part_pruning` skips parts by the smallest and largest `start`, and assumes that
 *   `toStartOfMinute` is monotonic. But its results have 32 bits and overflow before 1970 and after 2106, so one such
 *   span would hide the whole part.
 * - `optimize_const_name_size` replaces long constants by aliases that other servers of a cluster do not know
 *   (THERE_IS_NO_COLUMN).
 */
const newerSettings: Settings = { use_statistics_for_part_pruning: "0", optimize_const_name_size: "-1" };

/**
 * Sends requests to servers. When a server does not know an optional setting, the request is repeated without it. Later
 * requests to this server omit the setting.
 */
export class HostRequests {
  readonly #agent: Dispatcher;
  readonly #optional: ReadonlySet<string>;
  /** For each server, the optional settings that the server does not know. */
  readonly #unknown = new Map<number, Set<string>>();

  /** @param optional names of settings that statements can do without */
  constructor(agent: Dispatcher, optional: Iterable<string> = []) {
    this.#agent = agent;
    this.#optional = new Set([...Object.keys(newerSettings), ...optional]);
  }

  /**
   * Sends a statement that reads rows.
   * @returns the answer with an unread body
   * @throws ClickHouseError for a status other than 200, or an error after status 200
   */
  ask(host: Host, request: HostRequest): Promise<Dispatcher.ResponseData> {
    return this.send(host, { ...request, query: { ...request.query, ...newerSettings } });
  }

  /** Like `ask`, for any statement. */
  async send(host: Host, request: HostRequest): Promise<Dispatcher.ResponseData> {
    const { query } = request;
    const unknown = this.#unknown.get(host.index);
    try {
      const known = unknown === undefined ? query : without(query, unknown);
      return await this.#post(host, { ...request, query: known });
    } catch (error) {
      if (!isUnknownSetting(error) || !this.#learn(host, query, String(error))) {
        throw error;
      }
      return await this.send(host, request);
    }
  }

  /** Records the settings that the server does not know. @returns true when the next attempt has fewer settings */
  #learn({ index }: Host, query: Settings, error: string): boolean {
    const unknown = this.#unknown.get(index) ?? new Set<string>();
    const sent = Object.keys(query).filter((name) => this.#optional.has(name) && !unknown.has(name));
    if (sent.length === 0) {
      return false;
    }
    const named = sent.filter((name) => new RegExp(`\\b${name}\\b`).test(error));
    // An error without the name of a setting may concern any of the sent settings.
    for (const name of named.length === 0 ? sent : named) {
      unknown.add(name);
    }
    this.#unknown.set(index, unknown);
    return true;
  }

  async #post(
    host: Host,
    { query, body, abort, headers = {} }: HostRequest,
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
    if (response.statusCode === 200 && code === undefined) {
      return response;
    }
    const text = await beginningOf(response.body);
    throw answeredError(text === "" && code !== undefined ? `Code: ${code}.` : text, response.statusCode);
  }
}

function without(query: Settings, names: ReadonlySet<string>): Settings {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)));
}
