import { getHeader, type HeaderList, headerBytes } from "http-engine/header-list";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import type { EventData } from "server-core/events/server-event";
import { replaceAll, replaceKnown } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { escapePath } from "server-core/uri/percent-encoding";
import { RequestTarget } from "server-core/uri/request-target";
import { bytesOfText } from "server-core/uri/text-of-bytes";
import type { Candidate } from "../candidate.ts";
import { type DialAddress, parseDial } from "../transport/dial-address.ts";
import type { Transport } from "../transport/transport.ts";
import type { ActiveHealthConfig } from "./active-config.ts";
import { askHealth, type HealthAnswer } from "./health-request.ts";

/** Default interval of Caddy, in milliseconds. */
const defaultIntervalMs = 30_000;
const defaultTimeoutMs = 5_000;
const defaultMaxBytes = 1024 * 1024;
/** The limit of Go's HTTP client. Without this limit, two redirects to each other would keep a check running. */
const maxRedirects = 10;

/**
 * Path and query of the check. The whole text of `path` is a path, so its `?` is escaped. The fragment of `uri` is not
 * sent.
 * @throws ServerError MODULE_CONFIG
 */
function targetOf(config: ActiveHealthConfig): string {
  if (!config.uri) {
    const path = config.path || "/";
    return escapePath(path.startsWith("/") ? path : `/${path}`);
  }
  const target = RequestTarget.parse(bytesOfText(config.uri.replace(/#.*$/s, "")));
  if (typeof target === "string") {
    throw new ServerError(
      "MODULE_CONFIG",
      `health_checks/active: uri ${JSON.stringify(config.uri)} is no path: ${target}`,
    );
  }
  return target.text;
}

/**
 * Checks upstreams periodically. In each round the first thread to take a candidate's turn makes the check and updates
 * {@link ActiveHealth}. A changed state is logged once, and emits the event `healthy` or `unhealthy` with the member
 * `host`.
 * Source: Caddy 2.11, active health checks
 */
export class HealthChecker {
  readonly #config: ActiveHealthConfig;
  readonly #transport: Transport;
  readonly #log: Logger;
  /** Emits `healthy` and `unhealthy` in the app `events`. */
  readonly #emit: (name: string, data: EventData) => unknown;
  /** Pattern of `expect_body`; undefined when any body passes. */
  readonly #body: LinearRegexp | undefined;
  readonly #intervalMs: number;
  /** Address of `upstream` in the config; undefined when each candidate is checked at its own address. */
  readonly #address: DialAddress | undefined;
  /** Path and query of the check request. */
  readonly #target: string;
  /** At first the timer of the first round, later the interval of all other rounds. */
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param emit called when an upstream goes up or down
   * @throws ServerError MODULE_CONFIG
   */
  constructor(
    config: ActiveHealthConfig,
    transport: Transport,
    log: Logger,
    emit: (name: string, data: EventData) => unknown,
  ) {
    this.#emit = emit;
    this.#config = config;
    this.#transport = transport;
    this.#log = log;
    this.#intervalMs = config.interval || defaultIntervalMs;
    this.#address = config.upstream ? parseDial(config.upstream) : undefined;
    this.#target = targetOf(config);
    this.#body = config.expect_body ? new LinearRegexp(config.expect_body) : undefined;
  }

  /** Checks immediately, then at each interval. @param candidates returns the candidates at the time of a check */
  start(candidates: () => Iterable<Candidate>): void {
    const round = (): void => {
      for (const candidate of candidates()) {
        if (candidate.health?.takeTurn(this.#intervalMs, Date.now()) === true) {
          void this.check(candidate);
        }
      }
    };
    // Starts after the config is complete, so a config that is only validated makes no requests.
    this.#timer = setTimeout(() => {
      round();
      this.#timer = setInterval(round, this.#intervalMs).unref();
    }, 0).unref();
  }

  /** Stops the rounds. A running check is not aborted; its result is still recorded. */
  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#timer);
  }

  /** Makes one check and records the result. */
  async check(candidate: Candidate): Promise<void> {
    const { health, fixedDial } = candidate;
    if (health === undefined || fixedDial === undefined) {
      return;
    }
    let fault = "";
    try {
      fault = this.#faultOf(await this.#ask(fixedDial, candidate.address));
    } catch (error) {
      fault = messageOf(error);
    }
    const needed = (fault === "" ? this.#config.passes : this.#config.fails) || 1;
    if (health.note(fault === "", needed)) {
      this.#emit(fault === "" ? "healthy" : "unhealthy", { host: candidate.address });
      if (fault === "") {
        this.#log.info(`upstream ${candidate.address} is up: it passes its health checks`);
      } else {
        this.#log.warn(`upstream ${candidate.address} is down: health check: ${fault}`);
      }
    }
  }

  /** @returns the reason why a response fails the check; "" when it passes */
  #faultOf({ status, body }: HealthAnswer): string {
    const expected = this.#config.expect_status || 2;
    if (expected !== status && expected !== Math.floor(status / 100)) {
      return `status ${status}`;
    }
    return this.#body === undefined || this.#body.test(body) ? "" : "the body is not as expected";
  }

  /**
   * Address of a check: `upstream` of the config; without it, the candidate's address with `port` of the config;
   * without both, the candidate's address. For a unix socket with a `port` the host is localhost.
   */
  #dialOf(dial: DialAddress): DialAddress {
    const { port } = this.#config;
    if (this.#address !== undefined) {
      return this.#address;
    }
    const host = dial.host === "" ? "localhost" : dial.host;
    return port ? parseDial(`${host.includes(":") ? `[${host}]` : host}:${port}`) : dial;
  }

  /**
   * Sends the request and follows redirects if the config allows it. @throws Error with the reason why there is no
   * response
   */
  async #ask(upstream: DialAddress, target: string): Promise<HealthAnswer> {
    const { method, headers, body, timeout, max_size, follow_redirects } = this.#config;
    const dial = this.#dialOf(upstream);
    const more = { "http.reverse_proxy.active.target_upstream": target };
    const fill = (text: string) => replaceKnown(text, { more });
    const fields: HeaderList = [];
    let host = dial.path === "" ? dial.key : "localhost";
    for (const [name, values] of Object.entries(headers ?? {})) {
      if (name.toLowerCase() === "host") {
        host = replaceAll(values[0] ?? host, more);
      } else {
        fields.push(...values.flatMap((value) => [replaceAll(name, more), headerBytes(fill(value))]));
      }
    }
    let at = this.#target;
    for (let redirects = 0; ; redirects++) {
      const answer = await askHealth(this.#transport, {
        dial,
        method: method || "GET",
        target: at,
        headers: ["Host", host, "User-Agent", "server-health-check", ...fields],
        body: fill(body ?? ""),
        timeoutMs: timeout || defaultTimeoutMs,
        maxBytes: max_size || defaultMaxBytes,
      });
      const location = getHeader(answer.headers, "location");
      if (
        !follow_redirects ||
        answer.status < 301 ||
        answer.status > 308 ||
        location === undefined ||
        redirects >= maxRedirects
      ) {
        return answer;
      }
      const next = new URL(location, `${this.#transport.scheme ?? "http"}://${host}${at}`);
      at = next.pathname + next.search;
    }
  }
}
