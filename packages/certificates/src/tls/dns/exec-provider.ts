import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, ServerError } from "server-core/errors";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { DnsProvider, DnsRecordType } from "./dns-provider.ts";

const defaultTimeoutMs = 60_000;

const typeArgument = (type: DnsRecordType = "TXT"): string[] => (type === "TXT" ? [] : [type]);

/**
 * Runs a program of the user to change records: `<command…> present|remove <name> <value> <ttl> [<type>]`; exit code 0
 * means success.
 */
export const execDnsProvider = defineModule({
  id: "dns.providers.exec",
  config: z.strictObject({
    command: z
      .array(z.string())
      .min(1)
      .describe(
        "Program and first arguments; `present` or `remove`, name, value and TTL in seconds follow, and CNAME, A or AAAA where it is no TXT record. No shell.",
      ),
    timeout: configDuration().nullish().describe("How long it may take (1m)."),
  }),
  provision(config): DnsProvider {
    const [program = "", ...first] = config.command;
    const call = async (...more: string[]) => {
      try {
        await promisify(execFile)(program, [...first, ...more], {
          timeout: config.timeout || defaultTimeoutMs,
          maxBuffer: 1024 * 1024,
        });
      } catch (error) {
        throw new ServerError("ACME", `${program} ${more[0]} ${more[1]}: ${messageOf(error).slice(0, 500)}`);
      }
    };
    return {
      present: (name, value, ttl, type) => call("present", name, value, String(ttl), ...typeArgument(type)),
      remove: (name, value, type) => call("remove", name, value, "0", ...typeArgument(type)),
    };
  },
});
