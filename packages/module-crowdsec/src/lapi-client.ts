import { messageOf, readWithin, version } from "server-module-api";
import type { Dispatcher } from "undici";
import { type Decision, readDecision, secondsOf, strictness } from "./decision.ts";
import { JsonItems } from "./json-items.ts";

/** Timeout in milliseconds for the headers of an answer. The local API may need long for the first pull. */
const headersMs = 60_000;
/** Milliseconds without a byte after which an answer counts as cut off. */
const silenceMs = 30_000;
/**
 * Timeout in milliseconds of connecting, of a look-up, and of a usage report. A client's request waits for its look-up.
 */
const lookMs = 5_000;
/** Maximum number of bytes of the answer to one look-up. A longer answer fails the look-up. */
const maxLookBytes = 256 * 1024;
/** Maximum number of bytes of an error that are read. A longer error is replaced by an empty text. */
const maxErrorBytes = 4 * 1024;

/** Address that is never blocked in practice; a look-up of it shows whether the local API answers. */
export const pingAddress = "127.0.0.255";

/** An answer of the local API that is no success. */
export class LapiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`the local API answered ${status}${message === "" ? "" : `: ${message}`}`);
    this.status = status;
  }
}

/** The message in an error's body, `{"message": "…"}`; for another body, its first 200 characters. */
async function errorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const text = (await readWithin(body, maxErrorBytes).catch(() => Buffer.alloc(0))).toString();
  try {
    return String((JSON.parse(text) as { readonly message?: unknown }).message ?? "");
  } catch {
    return text.slice(0, 200);
  }
}

/** Requests to CrowdSec's local API. Source: CrowdSec, localapi_swagger.yaml */
export class LapiClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  #dispatcher: Dispatcher | undefined;
  #isClosed = false;

  constructor(apiUrl: string, apiKey: string) {
    this.#base = apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`;
    this.#headers = {
      "X-Api-Key": apiKey,
      Accept: "application/json",
      "User-Agent": `server-cs-bouncer/v${version.gitVersion.replace(/^v/, "")}`,
    };
  }

  /**
   * Pulls decisions. @param startup true: all decisions; false: the changes since the last pull
   * @param take called with each decision, and `new` or `deleted`
   * @throws LapiError, or an error of the connection
   */
  async pull(
    startup: boolean,
    take: (list: string, item: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { statusCode, body } = await this.#ask(`v1/decisions/stream?startup=${startup}`, {
      signal,
      headersTimeout: headersMs,
      bodyTimeout: silenceMs,
    });
    if (statusCode !== 200) {
      throw new LapiError(statusCode, await errorText(body));
    }
    const items = new JsonItems(take);
    for await (const chunk of body) {
      items.push(chunk as Buffer);
    }
    items.end();
  }

  /** Looks up one address. @returns the strictest decision. @throws LapiError, or an error of the connection */
  async look(address: string): Promise<Decision | undefined> {
    const { statusCode, body } = await this.#ask(`v1/decisions?ip=${encodeURIComponent(address)}`, {
      signal: AbortSignal.timeout(lookMs),
    });
    if (statusCode !== 200) {
      throw new LapiError(statusCode, await errorText(body));
    }
    const answer = JSON.parse((await readWithin(body, maxLookBytes)).toString()) as unknown;
    let found: Decision | undefined;
    for (const each of Array.isArray(answer) ? answer : []) {
      const decision = readDecision(each);
      if (
        decision !== undefined &&
        strictness(decision.type) > (found === undefined ? 0 : strictness(found.type))
      ) {
        const { type, origin, duration } = decision;
        found = { type, origin, secondsLeft: secondsOf(duration) };
      }
    }
    return found;
  }

  /** Sends usage figures. @throws LapiError, or an error of the connection */
  async sendUsage(usage: object): Promise<void> {
    const { statusCode, body } = await this.#ask("v1/usage-metrics", {
      signal: AbortSignal.timeout(lookMs),
      method: "POST",
      body: JSON.stringify(usage),
    });
    if (statusCode >= 300) {
      throw new LapiError(statusCode, await errorText(body));
    }
    await body.dump();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#dispatcher?.destroy();
  }

  async #ask(path: string, options: Partial<Dispatcher.RequestOptions>): Promise<Dispatcher.ResponseData> {
    const { Agent, request } = await import("undici"); // loaded on first use, because few configs have a bouncer
    if (this.#isClosed) {
      throw new Error("the bouncer has stopped");
    }
    this.#dispatcher ??= new Agent({ allowH2: false, connect: { timeout: lookMs } });
    const { body: sent, ...others } = options;
    try {
      return await request(this.#base + path, {
        ...others,
        dispatcher: this.#dispatcher,
        headers: { ...this.#headers, ...(sent !== undefined && { "Content-Type": "application/json" }) },
        ...(sent !== undefined && { body: sent }),
      });
    } catch (error) {
      throw new Error(`the local API at ${this.#base} cannot be reached: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}
