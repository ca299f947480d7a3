import { Resolver } from "node:dns";
import { z } from "zod";

/**
 * Converts a server's address from configs into Node's form. Examples: `udp/192.0.2.1:53`, `[2001:db8::1]:53`,
 * `192.0.2.1`.
 */
function bare(text: string): string {
  return text.replace(/^(?:udp[46]?|tcp[46]?)\//, "");
}

function isServer(text: string): boolean {
  try {
    new Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
}

/**
 * A field for DNS servers: addresses, each with its port unless the port is 53. The parsed value has no `udp/` any
 * more.
 */
export function dnsServers() {
  return z.array(
    z
      .string()
      .transform(bare)
      .refine(isServer, { error: "a DNS server is an IP address, with a port if it is not 53" }),
  );
}
