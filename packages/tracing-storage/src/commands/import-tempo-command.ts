import { type ProcessCommand, parseOptions, StartError, secretOf } from "lifecycle";
import { StorageError } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { z } from "zod";
import { type ImportCounts, importBlocks } from "../import/tempo/import-blocks.ts";
import { clusterOf, timeField } from "./delete-options.ts";
import { Progress } from "./progress.ts";
import { schemaOptions } from "./schema-options.ts";

const { database, cluster, replicated, user, password, "password-file": passwordFile } = schemaOptions.shape;

const options = z.object({
  url: schemaOptions.shape.url.describe("Servers that take the spans; of a cluster all of them."),
  ...{ database, cluster, replicated, user, password, "password-file": passwordFile },
  from: timeField
    .describe("Only blocks with spans at this time, in UTC, or later.")
    .meta({ placeholder: "time" }),
  to: timeField.describe("Only blocks with spans before this time.").meta({ placeholder: "time" }),
  tenant: z.string().default("").describe("Only blocks of this tenant of Tempo; empty: of every tenant."),
  "into-tenant": z
    .string()
    .optional()
    .describe("Tenant of the spans here; by default the one there, and none for single-tenant."),
  "done-file": z
    .string()
    .default("")
    .describe("File that gets the id of each stored block. A further run skips the blocks in it.")
    .meta({ placeholder: "path" }),
});

type ImportOptions = z.infer<typeof options>;

const msOf = (nano: bigint) => Number(nano / 1_000_000n);

/** One sentence for the terminal. Counts of 0 are left out, except for blocks, traces and spans. */
function sumText({ blocks, traces, spans, ...others }: ImportCounts): string {
  const texts = [
    [others.leftOut, "spans left out"],
    [others.failed, "blocks failed"],
    [others.done, "blocks were done before"],
    [others.copied, "merged or replaced blocks skipped"],
  ] as const;
  const rest = texts.filter(([count]) => count > 0).map(([count, text]) => `; ${count} ${text}`);
  return `${blocks} blocks with ${traces} traces and ${spans} spans${rest.join("")}`;
}

/** `import-tempo folder`: stores the blocks of Grafana Tempo. Tempo itself need not run. */
export const importTempoCommand: ProcessCommand = {
  name: "import-tempo",
  meaning:
    "Copy the traces of Grafana Tempo's blocks, from a folder or a copy of the bucket: import-tempo FOLDER --url URL,….",
  operands: "FOLDER",
  options,
  async run(args) {
    const [folder, ...rest] = args;
    if (folder === undefined || folder.startsWith("-")) {
      throw new StartError(
        "import-tempo: name the folder of the blocks first: import-tempo /var/tempo/blocks",
      );
    }
    const parsed = parseOptions(options, { arguments: rest, environment: {} }).options;
    if (parsed.url.length === 0) {
      throw new StartError("import-tempo: name the store with --url");
    }
    return await importFrom(folder, parsed);
  },
};

/** @returns exit code; 1 when a block failed, a span was left out, or no block was found */
async function importFrom(folder: string, parsed: ImportOptions): Promise<number> {
  const { url: urls, user: name, database: into } = parsed;
  const store = openClickHouseStore({
    ...{ urls, user: name, password: secretOf(parsed, "password"), database: into },
    cluster: clusterOf(parsed),
  });
  const progress = new Progress();
  let counted: Readonly<ImportCounts> | undefined;
  const order = {
    ...{ folder, tenant: parsed.tenant, intoTenant: parsed["into-tenant"], doneFile: parsed["done-file"] },
    fromMs: parsed.from === undefined ? Number.NEGATIVE_INFINITY : msOf(parsed.from),
    toMs: parsed.to === undefined ? Number.POSITIVE_INFINITY : msOf(parsed.to),
  };
  try {
    await store.ready();
    counted = await importBlocks(order, store.writer, {
      counted: (counts) => {
        counted = { ...counts };
        progress.show(() => sumText(counts));
      },
      fault: (block, message) => {
        progress.end();
        process.stderr.write(`${block}: ${message}\n`);
      },
    });
  } catch (error) {
    const isKnown = error instanceof StorageError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isKnown || error instanceof StartError) {
      throw error;
    }
    const sum = counted === undefined ? "nothing is stored" : `${sumText(counted)} are stored`;
    const again = "give the same command again; with --done-file it skips what is stored";
    throw new StartError(`import-tempo: ${(error as Error).message}; ${sum}: ${again}`, { cause: error });
  } finally {
    progress.end();
    await store.close();
  }
  process.stdout.write(`${sumText(counted)}\n`);
  if (counted.blocks + counted.failed + counted.done === 0) {
    process.stderr.write(`import-tempo: ${folder} has no block of the wanted tenant and time\n`);
    return 1;
  }
  return counted.failed + counted.leftOut === 0 ? 0 : 1;
}
