// Sources without network requests: addresses from the config, and from a network interface.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type IpSource, isVersionWanted, type PublicAddress, publicAddress } from "./ip-source.ts";
import { isWanted } from "./wanted-ranges.ts";

/** The first address of each type. */
function firstOfEach(addresses: readonly PublicAddress[]): PublicAddress[] {
  return (["A", "AAAA"] as const).flatMap((type) => addresses.find((each) => each.type === type) ?? []);
}

/** For machines with a fixed address, or an address that an administrator sets. */
export const staticSource = defineModule({
  id: "dynamic_dns.ip_sources.static",
  config: z.strictObject({
    ips: z
      .array(z.string().refine((text) => isIP(text) !== 0, { error: "an IP address is expected" }))
      .nullish()
      .describe("The addresses; the first of each kind counts (none)."),
  }),
  provision: ({ ips }): IpSource => ({
    addresses: async () => firstOfEach((ips ?? []).flatMap((ip) => publicAddress(ip) ?? [])),
  }),
});

/** Ranges that are not reachable from the internet. Source: Go, `netip.Addr.IsPrivate` and `IsGlobalUnicast` */
const unreachable = {
  include: null,
  exclude: [
    ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16"],
    ...["224.0.0.0/4", "255.255.255.255/32", "0.0.0.0/32"],
    ...["fc00::/7", "fe80::/10", "ff00::/8", "::1/128", "::/128"],
  ],
};

/**
 * With `include` or `exclude` in the app's config, only these decide. Otherwise addresses of private networks are
 * skipped.
 */
export const interfaceSource = defineModule({
  id: "dynamic_dns.ip_sources.interface",
  config: z.strictObject({
    name: z
      .string()
      .min(1)
      .describe(
        "Name of the network interface: `eth0`. Its addresses that the internet can reach count, or those of `include`.",
      ),
  }),
  provision: ({ name }): IpSource => ({
    async addresses(choice) {
      const all = networkInterfaces()[name];
      if (all === undefined) {
        throw new Error(`there is no interface ${name}`);
      }
      const ranges = choice.include?.length || choice.exclude?.length ? choice : unreachable;
      const addresses = all.flatMap(({ address }) => publicAddress(address) ?? []);
      return firstOfEach(
        addresses.filter((each) => isVersionWanted(choice, each) && isWanted(ranges, each.ip)),
      );
    },
  }),
});

/**
 * Refuses each config, because UPnP is not supported. The module exists so that the error message can name an
 * alternative.
 */
export const upnpSource = defineModule({
  id: "dynamic_dns.ip_sources.upnp",
  config: z.looseObject({}),
  provision(): IpSource {
    throw new ServerError(
      "MODULE_CONFIG",
      "ip source upnp is not supported: use simple_http, interface or static",
    );
  },
});
