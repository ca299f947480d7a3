import {
  type Exchange,
  type HeaderList,
  type Logger,
  messageOf,
  readWithin,
  version,
} from "server-module-api";
import type { Dispatcher } from "undici";
import { firstBytes } from "./first-bytes.ts";

export interface AppsecSettings {
  readonly url: string;
  readonly apiKey: string;
  /** Milliseconds until a check counts as failed. */
  readonly timeoutMs: number;
  /** Maximum number of bytes of a request's body that are sent to the component. */
  readonly maxBodyBytes: number;
  /** True: a request passes when its check fails. */
  readonly failsOpen: boolean;
}

/** The component's answer to a request that matches a rule. */
export interface AppsecVerdict {
  /** `ban`, `captcha`, `throttle`, `allow`, `log`, … */
  readonly action: string;
  /** Status code for the client; 0: the default of the action. */
  readonly status: number;
}

/** Maximum number of bytes of an answer. A longer answer is an error. */
const maxAnswerBytes = 64 * 1024;

/** Headers that are not copied: hop-by-hop headers, and headers that this client sets itself. */
const ownFields =
  /^(?:connection|keep-alive|proxy-|te$|trailer|transfer-encoding|upgrade|host$|content-length|expect|user-agent|x-crowdsec-appsec-)/i;

/**
 * The headers for the component: those of the client's request, and those that describe it. Source: CrowdSec, AppSec
 * protocol
 */
function headersOf(exchange: Exchange, settings: AppsecSettings): string[] {
  const fields: HeaderList = exchange.requestHeaders;
  const headers: string[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [name = "", value = ""] = [fields[index], fields[index + 1]];
    if (!ownFields.test(name)) {
      headers.push(name, value);
    }
  }
  return [
    ...headers,
    ...["X-Crowdsec-Appsec-Ip", exchange.clientAddress.replace(/%.*$/, "")],
    ...["X-Crowdsec-Appsec-Uri", exchange.target],
    ...["X-Crowdsec-Appsec-Host", exchange.header("host")],
    ...["X-Crowdsec-Appsec-Verb", exchange.method],
    ...["X-Crowdsec-Appsec-Api-Key", settings.apiKey],
    ...["X-Crowdsec-Appsec-User-Agent", exchange.header("user-agent")],
    ...["User-Agent", `server-cs-bouncer/${version.gitVersion}`],
  ];
}

function verdictOf(text: string): AppsecVerdict {
  const { action, http_status } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const status = Number.isInteger(http_status) ? Number(http_status) : 0;
  return { action: String(action), status: status >= 200 && status <= 599 ? status : 0 };
}

/** Asks CrowdSec's AppSec component about requests. Each handler has its own client. */
export class AppsecClient {
  readonly #log: Logger;
  #dispatcher: Dispatcher | undefined;
  /** True after a failure, until a check succeeds, so that a repeated failure is logged once. */
  #isAway = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * | Component | Then |
   * |---|---|
   * | 200 | the request passes |
   * | 403 | the verdict |
   * | 401, 500, no answer in time | the check fails; with `failsOpen` the request passes |
   * | another status | the request passes, and the status is logged |
   *
   * Source: hslatman/caddy-crowdsec-bouncer, `checkRequest`
   * @returns undefined when the request passes. @throws Error for a failed check
   */
  async check(exchange: Exchange, settings: AppsecSettings): Promise<AppsecVerdict | undefined> {
    const body = await firstBytes(exchange, settings.maxBodyBytes);
    try {
      const { status, text } = await this.#ask(exchange, settings, body);
      if (status === 401 || status === 500) {
        throw new Error(`the AppSec component answered ${status}`);
      }
      if (status !== 200 && status !== 403) {
        this.#log.error(`crowdsec: the AppSec component answered ${status}`);
        return undefined;
      }
      this.#isAway = false;
      return status === 403 ? verdictOf(text) : undefined;
    } catch (error) {
      if (!this.#isAway) {
        this.#isAway = true;
        this.#log.error(`crowdsec: a request was not checked: ${messageOf(error)}`);
      }
      if (settings.failsOpen) {
        return undefined;
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  async #ask(
    exchange: Exchange,
    settings: AppsecSettings,
    sent: Buffer,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { Agent, request } = await import("undici"); // loaded on first use, because few configs have an AppSec component
    this.#dispatcher ??= new Agent({ allowH2: false, connections: 100 });
    const { statusCode, body } = await request(settings.url, {
      method: sent.length === 0 ? "GET" : "POST",
      headers: headersOf(exchange, settings),
      dispatcher: this.#dispatcher,
      signal: AbortSignal.timeout(settings.timeoutMs),
      ...(sent.length > 0 && { body: sent }),
    });
    return { status: statusCode, text: (await readWithin(body, maxAnswerBytes)).toString() };
  }
}
