import { type ProcessCommand, parseOptions, StartError, secretOf } from "lifecycle";
import { StorageError } from "storage/api";
import { deleteSpans } from "storage/clickhouse";
import { z } from "zod";
import { endOfOldDays, tenantAges } from "../tenant-ages.ts";
import { clusterOf } from "./delete-options.ts";
import { schemaOptions } from "./schema-options.ts";

const {
  url,
  database,
  cluster,
  replicated,
  user,
  password,
  "password-file": passwordFile,
} = schemaOptions.shape;

const retainOptions = z.object({
  url: url.describe("Servers whose spans are deleted; of a cluster all of them."),
  ...{ database, cluster, replicated, user, password, "password-file": passwordFile },
  "tenant-retention": tenantAges()
    .describe("Longest age of the spans of a tenant: acme=7d,beta=36h.")
    .meta({ placeholder: "name=age,…" }),
  yes: z.boolean().default(false).describe("Delete; without it the spans are only counted."),
});

/** `retain`: deletes spans of tenants that are older than the tenant may keep them, on ClickHouse servers. */
export const retainCommand: ProcessCommand = {
  name: "retain",
  meaning:
    "Delete old spans of tenants: retain --url URL,… [--cluster NAME] --tenant-retention acme=7d,… [--yes]. Run it once a day.",
  options: retainOptions,
  async run(args) {
    const { options } = parseOptions(retainOptions, { arguments: args, environment: {} });
    const ages = options["tenant-retention"];
    if (options.url.length === 0 || ages.size === 0) {
      throw new StartError("retain: name the servers with --url, and tenants with --tenant-retention");
    }
    const servers = {
      ...{ urls: options.url, user: options.user, password: secretOf(options, "password") },
      ...{ database: options.database, cluster: clusterOf(options) },
    };
    let isWhole = true;
    for (const [tenant, ageMs] of ages) {
      const selection = { tenant, toUnixNano: endOfOldDays(Date.now(), ageMs) };
      const run = { isDryRun: !options.yes, keepsArchive: true };
      const { tables, away } = await deleteSpans(servers, selection, run).catch((error: unknown) => {
        throw error instanceof StorageError
          ? new StartError(`retain: ${error.message}`, { cause: error })
          : error;
      });
      const spans = tables.filter(({ table }) => table === "spans");
      const [rows, left] = (["rows", "remaining"] as const).map((of) =>
        spans.reduce((sum, table) => sum + table[of], 0),
      ) as [number, number];
      isWhole &&= !options.yes || (left === 0 && away.length === 0);
      const text = options.yes ? `${rows - left} spans deleted, ${left} left` : `${rows} spans`;
      const lacking = away.map((server) => `; ${server} is away, and deletes when it is back`);
      process.stdout.write(`${tenant}: ${text}${lacking.join("")}\n`);
    }
    return isWhole ? 0 : 1;
  },
};
