import { Resolver } from "node:dns";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import { ServerError } from "server-core/errors";
import { z } from "zod";

/** Config of the name servers. Source: Caddy 2.11 */
export const resolverSchema = z.strictObject({
  addresses: z
    .array(z.string())
    .nullish()
    .describe(
      "Name servers, `host` or `host:port` (53), `udp/` in front allowed; the first that answers counts.",
    ),
});

export type ResolverConfig = z.infer<typeof resolverSchema>;

/** Number of attempts at each name server. */
const tries = 2;
const triesTimeoutMs = 2_000;

/**
 * `udp/1.1.1.1:53` becomes `1.1.1.1:53`. Names are refused, because no configured server could resolve them.
 * @throws ServerError MODULE_CONFIG
 */
function serverAddress(text: string): string {
  const bare = text.replace(/^(?:udp|tcp)[46]?\//, "");
  const host = /^\[([^\]]+)\]/.exec(bare)?.[1] ?? bare.replace(/:\d+$/, "");
  if (isIP(isIP(bare) === 0 ? host : bare) === 0) {
    throw new ServerError("MODULE_CONFIG", `resolver address ${JSON.stringify(text)} is no IP address`);
  }
  return bare;
}

/**
 * Creates a resolver for the configured name servers; undefined when the system's resolver suffices.
 * @param timeoutMs limit in milliseconds of each of the two attempts; 0: 2 s
 * @throws ServerError MODULE_CONFIG
 */
export function makeResolver(
  config: ResolverConfig | null | undefined,
  timeoutMs: number | null | undefined,
): Resolver | undefined {
  const addresses = (config?.addresses ?? []).map(serverAddress);
  if (addresses.length === 0) {
    return undefined;
  }
  const resolver = new Resolver({ tries, timeout: Math.max(1, Math.round(timeoutMs || triesTimeoutMs)) });
  resolver.setServers(addresses);
  return resolver;
}

/**
 * Resolves names through a resolver, in the form that `net.connect` accepts. Both families are queried at once.
 * Addresses of one family suffice; an error for the other family is then dropped.
 */
export function lookupThrough(resolver: Resolver): LookupFunction {
  return (hostname, options, done) => {
    const found: { address: string; family: number }[] = [];
    const wanted =
      options.family === 6 || options.family === "IPv6"
        ? [6]
        : options.family === 4 || options.family === "IPv4"
          ? [4]
          : [4, 6];
    let left = wanted.length;
    let failure: NodeJS.ErrnoException | null = null;
    const take = (family: number) => (error: NodeJS.ErrnoException | null, addresses: string[]) => {
      failure ??= error;
      for (const address of error === null ? addresses : []) {
        found.push({ address, family });
      }
      left--;
      if (left > 0) {
        return;
      }
      const first = found[0];
      if (first === undefined) {
        done(failure ?? new Error(`no address of ${hostname}`), options.all ? [] : "", 4);
      } else if (options.all) {
        done(null, found);
      } else {
        done(null, first.address, first.family);
      }
    };
    for (const family of wanted) {
      if (family === 4) {
        resolver.resolve4(hostname, take(4));
      } else {
        resolver.resolve6(hostname, take(6));
      }
    }
  };
}
