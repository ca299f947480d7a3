import { ServerError } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { ApiClient } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import type { DnsProvider } from "../dns-provider.ts";

const maxFileBytes = 1024 * 1024;

const accountFields = {
  username: filledText("Of the account, as `/register` gave it.").nullish(),
  password: filledText("Of the account.").nullish(),
  subdomain: filledText("Of the account: the part before the domain of the acme-dns server.").nullish(),
  server_url: filledText("Where acme-dns answers: `https://auth.example.org`.").nullish(),
};
const accountSchema = z.strictObject({
  ...accountFields,
  fulldomain: z.string().nullish().describe("Taken for the public model's sake; the subdomain counts."),
});

const configSchema = z.strictObject({
  ...accountFields,
  config: z
    .record(z.string(), accountSchema)
    .nullish()
    .describe("Accounts by domain, in place of one for all."),
  config_file_path: z
    .string()
    .nullish()
    .describe("JSON file with accounts by domain, or with one for all: in place of the other fields."),
});

type Account = z.infer<typeof accountSchema>;
type Config = z.infer<typeof configSchema>;

function complete(
  account: Account,
  whose: string,
): Required<{ [Name in keyof typeof accountFields]: string }> {
  const { username, password, subdomain, server_url } = filled(account);
  if (!username || !password || !subdomain || !server_url) {
    throw new ServerError(
      "MODULE_CONFIG",
      `acmedns: ${whose} needs username, password, subdomain and server_url`,
    );
  }
  return { username, password, subdomain, server_url };
}

/** The result leaves out the fields that acme-dns adds to such files. */
function readAccounts(path: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(readRegularFileSync(path, maxFileBytes).toString());
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `acmedns: config_file_path ${path} cannot be read as JSON`, {
      cause: error,
    });
  }
  const one = z.object(accountFields).safeParse(value);
  if (one.success && one.data.username) {
    return one.data;
  }
  const many = z
    .record(z.string(), z.object({ ...accountFields, fulldomain: z.string().nullish() }))
    .safeParse(value);
  if (!many.success) {
    throw new ServerError("MODULE_CONFIG", `acmedns: config_file_path ${path} has no accounts`);
  }
  return { config: many.data };
}

/**
 * acme-dns stores only the last two texts of an account, so nothing needs to be removed. Source:
 * https://github.com/joohoi/acme-dns
 */
export function acmedns(given: Config): DnsProvider {
  const config = given.config_file_path ? readAccounts(given.config_file_path) : given;
  const accounts = config.config
    ? new Map(
        Object.entries(config.config).map(
          ([domain, account]) => [domain, complete(account, domain)] as const,
        ),
      )
    : undefined;
  const one = accounts === undefined ? complete({ ...config }, "the account") : undefined;
  const clients = new Map<string, ApiClient>();
  const accountOf = (record: string) => {
    const domain = record.replace(/^_acme-challenge\./, "");
    const account = one ?? accounts?.get(domain);
    if (account === undefined) {
      throw new ServerError("ACME", `acmedns: there is no account for ${domain}`);
    }
    return account;
  };
  return {
    async present(record, txt, _ttlSeconds, type = "TXT") {
      if (type !== "TXT") {
        throw new ServerError("ACME", `acmedns: ${record}: has no records of the type ${type}`);
      }
      const { username, password, subdomain, server_url: base } = accountOf(record);
      const client = clients.get(base) ?? new ApiClient({ name: "acmedns", base: base.replace(/\/+$/, "") });
      clients.set(base, client);
      await client.ask({
        method: "POST",
        path: "/update",
        headers: { "x-api-user": username, "x-api-key": password },
        body: { subdomain, txt },
      });
    },
    async remove() {},
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

export const acmednsProvider = defineModule({
  id: "dns.providers.acmedns",
  config: configSchema,
  provision: (config) => acmedns(config),
});
