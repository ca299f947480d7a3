import { createHmac, timingSafeEqual } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import { getHeaders } from "http-engine/header-list";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { readCookie } from "../cookies/cookies.ts";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { fallbackField, loadFallback } from "./fallback-policy.ts";

/** True when the client uses HTTPS, directly or according to a trusted proxy. */
function isSecure(exchange: Exchange): boolean {
  const trusted = exchange.server.isTrustedProxy?.(exchange) === true;
  return (
    exchange.scheme === "https" ||
    (trusted && getHeaders(exchange.requestHeaders, "x-forwarded-proto").at(-1) === "https")
  );
}

/**
 * Keeps a client at the same upstream with a cookie: the HMAC-SHA-256 of the upstream's address with a secret.
 * | Request | Upstream | Answer |
 * |---|---|---|
 * | the cookie names an available upstream | that one | no cookie |
 * | no cookie, or its upstream is not available | chosen by the fallback | sets the cookie |
 * | another attempt after a failure | chosen by the fallback | replaces the cookie of the failed attempt |
 * Source: Caddy 2.11
 */
export const cookiePolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.cookie",
  config: z.strictObject({
    name: z.string().nullish().describe("Name of the cookie (lb)."),
    secret: z
      .string()
      .nullish()
      .describe("Key of the hash, so that clients cannot name an upstream themselves."),
    max_age: configDuration().nullish().describe("How long browsers keep it (until they are closed)."),
    fallback: fallbackField,
  }),
  async provision(config, context): Promise<SelectionPolicy> {
    const name = config.name || "lb";
    const fallback = await loadFallback(config.fallback, context);
    const known = new Map<string, string>();
    const hash = (address: string): string => {
      let value = known.get(address);
      if (value === undefined) {
        value = createHmac("sha256", config.secret ?? "")
          .update(address)
          .digest("hex");
        known.set(address, value);
      }
      return value;
    };
    const maxAge = config.max_age ? `; Max-Age=${Math.floor(config.max_age / 1000)}` : "";
    return {
      select(available, exchange) {
        const given = Buffer.from(readCookie(exchange, name) ?? "");
        for (const candidate of available) {
          const expected = Buffer.from(hash(candidate.address));
          if (given.length === expected.length && timingSafeEqual(given, expected)) {
            return candidate;
          }
        }
        const chosen = fallback.select(available, exchange);
        if (chosen !== undefined) {
          const value = `${name}=${hash(chosen.address)}; Path=/${maxAge}; HttpOnly`;
          const cookie = isSecure(exchange) ? `${value}; Secure; SameSite=None` : `${value}; SameSite=Lax`;
          const headers = exchange.responseHeaders;
          const before = headers.findIndex((each, at) => at % 2 === 1 && each.startsWith(`${name}=`));
          if (before > 0 && headers[before - 1] === "Set-Cookie") {
            headers[before] = cookie; // replaces the cookie of a failed attempt
          } else {
            headers.push("Set-Cookie", cookie);
          }
        }
        return chosen;
      },
    };
  },
});
