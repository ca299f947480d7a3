import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { messageOf, ServerError } from "../../core/errors.ts";
import { configDuration } from "../../core/modules/config-fields.ts";
import type { ModuleInstance, ModuleNamespace } from "../../core/modules/module.ts";
import { defineModule } from "../../core/modules/module.ts";

/** Changes records of a DNS zone. Modules of the user's own may bring one for their provider. */
export interface DnsProvider extends ModuleInstance {
  /** Makes a TXT record. @param name full, without final dot: `_acme-challenge.example.com`. @throws ServerError ACME */
  present(name: string, value: string, ttlSeconds: number): Promise<void>;
  /** Removes it. @throws ServerError ACME */
  remove(name: string, value: string): Promise<void>;
}

export const dnsProviders: ModuleNamespace<DnsProvider> = { prefix: "dns.providers" };

const defaultTimeoutMs = 60_000;

/** Has a program of the user's change records: `<command…> present|remove <name> <value> <ttl>`, status 0 when done. */
export const execDnsProvider = defineModule({
  id: "dns.providers.exec",
  config: z.strictObject({
    command: z
      .array(z.string())
      .min(1)
      .describe(
        "Program and first arguments; `present` or `remove`, name, value and TTL in seconds follow. No shell.",
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
      present: (name, value, ttl) => call("present", name, value, String(ttl)),
      remove: (name, value) => call("remove", name, value, "0"),
    };
  },
});
