import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { ServerError } from "../errors.ts";
import { replaceAll } from "../placeholders/machine-placeholders.ts";

/** Address ranges in a matcher's config. */
export const ipRangesSchema = z.strictObject({
  ranges: z
    .array(z.string())
    .nullish()
    .describe("Addresses or CIDR ranges: `192.0.2.0/24`, `::1`, `fe80::/10%eth0`, `{env.X}`."),
});

interface Zoned {
  /** Zone of IPv6 addresses; addresses with another zone are not contained. "": any zone. */
  readonly zone: string;
  /** Ranges of that zone. */
  readonly list: BlockList;
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}

function addRange(list: BlockList, text: string): void {
  const cut = text.indexOf("/");
  const address = cut === -1 ? text : text.slice(0, cut);
  const family = familyOf(address);
  const bits = cut === -1 ? (family === "ipv4" ? 32 : 128) : Number(text.slice(cut + 1));
  const fits = Number.isInteger(bits) && bits >= 0 && bits <= (family === "ipv4" ? 32 : 128);
  if (family === undefined || !fits || !/^[^/]+(?:\/\d+)?$/.test(text)) {
    const kind = cut === -1 ? "invalid IP address" : "parsing CIDR expression";
    throw new ServerError("MODULE_CONFIG", `${kind} '${text}'`);
  }
  list.addSubnet(address, bits, family);
}

/** Ranges of addresses. If a range has a zone (`%eth0`), addresses must have the same zone. */
export class IpRanges {
  readonly #byZone: readonly Zoned[];

  /** @throws ServerError MODULE_CONFIG for a text that is neither an address nor a range */
  constructor(ranges: readonly string[]) {
    const byZone = new Map<string, BlockList>();
    for (const range of ranges.map((text) => replaceAll(text))) {
      const [, head = "", zone = "", bits = ""] = /^([^%]*)(?:%([^/]*))?(\/.*)?$/.exec(range) ?? [];
      const list = byZone.get(zone) ?? new BlockList();
      byZone.set(zone, list);
      addRange(list, head + bits);
    }
    this.#byZone = [...byZone].map(([zone, list]) => ({ zone, list }));
  }

  /** @param address text from a socket or a header; an invalid address is in no range */
  contains(address: string): boolean {
    const cut = address.indexOf("%");
    const bare = (cut === -1 ? address : address.slice(0, cut)).replace(/^::ffff:(?=\d+\.)/i, "");
    const zone = cut === -1 ? "" : address.slice(cut + 1);
    const family = familyOf(bare);
    return (
      family !== undefined &&
      this.#byZone.some((each) => (each.zone === "" || each.zone === zone) && each.list.check(bare, family))
    );
  }
}
