import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import type { DnsProvider, DnsRecordType } from "../dns-provider.ts";

const configSchema = z.strictObject({
  api_token: filledText("Token of the account, a UUID."),
  override_domain: filledText(
    "Domain below duckdns.org whose record is set, where `_acme-challenge` of another domain is a CNAME to it (that of the record).",
  ).nullish(),
  resolver: filledText("Taken for the public model's sake: records are not read.").nullish(),
});

/** The three labels that an account has: `me.duckdns.org`. */
function accountDomain(name: string): string {
  const found = /(?:^|\.)([^.]+\.duckdns\.org)$/i.exec(name)?.[1];
  if (found === undefined) {
    throw new ServerError(
      "ACME",
      `duckdns: ${name} is not below duckdns.org; override_domain names the domain that is`,
    );
  }
  return found;
}

/**
 * The provider stores only one text for a domain and all names below it, so two texts at the same time are impossible.
 * Source: https://www.duckdns.org/spec.jsp
 */
export function duckdns(config: z.infer<typeof configSchema>, base = "https://www.duckdns.org"): DnsProvider {
  const name = "duckdns";
  const client = new ApiClient({ name, base });
  const update = async (record: string, type: DnsRecordType, more: Readonly<Record<string, string>>) => {
    if (type === "CNAME") {
      throw new ServerError("ACME", `${name}: ${record}: has no records of the type ${type}`);
    }
    const domains = accountDomain(config.override_domain || record);
    const query = { domains, token: config.api_token, ...more };
    const call = { method: "GET", path: "/update", query } as const;
    const { text } = await client.ask(call);
    if (!/^OK\b/.test(text)) {
      throw client.error(
        call,
        `${domains}: the token or the domain is not right (${text.slice(0, 20).trim()})`,
      );
    }
  };
  return {
    present: (record, value, _ttlSeconds, type = "TXT") =>
      update(record, type, type === "TXT" ? { txt: value } : { ip: value }),
    async remove(record, txt, type = "TXT") {
      // A domain has only one address of each kind, and a new address replaces the old one.
      if (type === "TXT" || type === "CNAME") {
        await update(record, type, { txt, clear: "true" });
      }
    },
    close: () => client.close(),
  };
}

export const duckdnsProvider = defineModule({
  id: "dns.providers.duckdns",
  config: configSchema,
  provision: (config) => duckdns(filled(config, ["api_token"])),
});
