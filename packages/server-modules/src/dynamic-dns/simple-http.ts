import { messageOf } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { readWithin } from "server-core/net/read-within";
import { z } from "zod";
import {
  type AddressChoice,
  type IpSource,
  isVersionWanted,
  type PublicAddress,
  publicAddress,
} from "./ip-source.ts";
import { isWanted } from "./wanted-ranges.ts";

/** Source: mholt/caddy-dynamicdns, `defaultHTTPIPServices` */
export const defaultEndpoints = [
  "https://icanhazip.com",
  "https://ifconfig.me",
  "https://ident.me",
  "https://ipecho.net/plain",
];
/** Maximum number of bytes of an answer. A longer answer is an HTML page, not an address. */
const maxAnswerBytes = 256;
/** Timeout of one service in milliseconds, connecting included. */
const timeoutMs = 10_000;

/** Asks one service for the address. @throws Error for any status but 200, and for an answer that is no address */
async function askEndpoint(url: string, family: 4 | 6, signal: AbortSignal): Promise<PublicAddress> {
  const { Agent, request } = await import("undici"); // loaded on demand, because few configs need it
  const dispatcher = new Agent({ connect: { family, timeout: timeoutMs } });
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { statusCode, body } = await request(url, { dispatcher, signal: limit });
    const text = (await readWithin(body, maxAnswerBytes)).toString().trim();
    if (statusCode !== 200) {
      throw new Error(`status ${statusCode}`);
    }
    const address = publicAddress(text);
    if (address === undefined) {
      throw new Error(`${JSON.stringify(text.slice(0, 60))} is no address`);
    }
    return address;
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Asks web services that answer with the client's address, over IPv4 and over IPv6. For each family the services are
 * tried in order. A family without an answer is left out if the other family has an answer.
 */
export class SimpleHttp implements IpSource {
  readonly #endpoints: readonly string[];

  constructor(endpoints: readonly string[]) {
    this.#endpoints = endpoints;
  }

  async addresses(choice: AddressChoice, signal: AbortSignal): Promise<PublicAddress[]> {
    const asked = ([4, 6] as const).filter((family) =>
      isVersionWanted(choice, { ip: "", type: family === 4 ? "A" : "AAAA" }),
    );
    const found: PublicAddress[] = [];
    const reasons: string[] = [];
    for (const family of asked) {
      const address = await this.#first(family, signal, reasons);
      if (
        address !== undefined &&
        isWanted(choice, address.ip) &&
        !found.some(({ type }) => type === address.type)
      ) {
        found.push(address);
      }
    }
    if (found.length === 0) {
      throw new Error(reasons.join("; ") || "no address that counts");
    }
    return found;
  }

  /** Returns the first address that a service answers. Reasons of failed services are added to `reasons`. */
  async #first(family: 4 | 6, signal: AbortSignal, reasons: string[]): Promise<PublicAddress | undefined> {
    for (const url of this.#endpoints) {
      try {
        return await askEndpoint(url, family, signal);
      } catch (error) {
        signal.throwIfAborted();
        reasons.push(`${url} over IPv${family}: ${messageOf(error)}`);
      }
    }
    return undefined;
  }
}

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The default source. Redirects are not followed. */
export const simpleHttpSource = defineModule({
  id: "dynamic_dns.ip_sources.simple_http",
  config: z.strictObject({
    endpoints: z
      .array(z.string().refine(isHttpUrl, { error: "an endpoint is a URL of http or https" }))
      .nullish()
      .describe(
        `URLs that answer with the caller's address, tried in order; at most ${maxAnswerBytes} bytes within ${timeoutMs / 1000} s (${defaultEndpoints.join(", ")}).`,
      ),
  }),
  provision: ({ endpoints }): IpSource => new SimpleHttp(endpoints?.length ? endpoints : defaultEndpoints),
});
