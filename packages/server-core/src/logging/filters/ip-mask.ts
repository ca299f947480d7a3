import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import { maskAddress } from "../../net/mask-address.ts";
import type { LogFilter } from "../log-modules.ts";
import { onTexts } from "./on-texts.ts";

function maskText(text: string, v4Bits: number, v6Bits: number): string {
  return text
    .split(",")
    .map((part) => maskAddress(part.trim(), v4Bits, v6Bits))
    .join(", ");
}

/** Keeps only the leading bits of addresses. */
export const ipMaskFilter = defineModule({
  id: "logging.encoders.filter.ip_mask",
  config: z.strictObject({
    ipv4_cidr: z.int().min(0).max(32).nullish().describe("Bits that are kept of IPv4 addresses (0)."),
    ipv6_cidr: z.int().min(0).max(128).nullish().describe("Bits that are kept of IPv6 addresses (0)."),
  }),
  provision(config): LogFilter {
    const [v4Bits, v6Bits] = [config.ipv4_cidr ?? 0, config.ipv6_cidr ?? 0];
    return { filter: (value) => onTexts(value, (text) => maskText(text, v4Bits, v6Bits)) };
  },
});
