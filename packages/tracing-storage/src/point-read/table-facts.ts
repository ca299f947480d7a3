import { join } from "node:path";
import { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import type { TableName } from "./point-statement.ts";

/** Facts about a table whose parts are read. */
export interface TableFacts {
  /** Folder of the table's parts. */
  readonly folder: string;
  /** Folders with names of objects, for parts in a bucket. */
  readonly awayFolders: readonly string[];
  readonly partitionKey: string;
  /** Expressions of the primary key. */
  readonly primaryKey: readonly string[];
  readonly columns: ReadonlyMap<string, string>;
  /** Indexes that can exclude a value from a granule, by expression. */
  readonly filters: ReadonlyMap<string, string>;
}

const row = z.object({
  uuid: z.string(),
  engine: z.string(),
  partition_key: z.string(),
  primary_key: z.string(),
  names: z.array(z.string()),
  types: z.array(z.string()),
  filters: z.array(z.tuple([z.string(), z.string()])),
  paths: z.array(z.string()),
  changing: z.coerce.number(),
  policies: z.coerce.number(),
});

/** Table engines whose table has exactly the rows in its parts, until a merge replaces equal rows. */
const engines = new Set(["MergeTree", "ReplacingMergeTree"]);

/**
 * Describes a table with a statement to the engine.
 * @returns undefined if a statement's result may differ from the parts: other table engines, pending changes of parts,
 * users who may not see all rows
 */
export async function readTableFacts(
  engine: Pick<Engine, "run" | "folder">,
  { database, table }: TableName,
): Promise<TableFacts | undefined> {
  const ofTable = `database = '${database}' AND table = '${table}'`;
  const columns = `SELECT groupArray(COLUMN) FROM (SELECT name, type FROM system.columns WHERE ${ofTable} AND default_kind IN ('', 'DEFAULT') ORDER BY position)`;
  const sql =
    `SELECT toString(uuid) AS uuid, engine, partition_key, primary_key, data_paths AS paths, (${columns.replace("COLUMN", "name")}) AS names, ` +
    `(${columns.replace("COLUMN", "type")}) AS types, ` +
    `(SELECT groupArray((expr, name)) FROM system.data_skipping_indices WHERE ${ofTable} AND type_full = 'bloom_filter(0.01)' AND granularity = 1) AS filters, ` +
    `(SELECT count() FROM system.mutations WHERE ${ofTable} AND NOT is_done) AS changing, ` +
    `(SELECT count() FROM system.row_policies) AS policies ` +
    `FROM system.tables WHERE database = '${database}' AND name = '${table}'`;
  const { bytes } = await engine.run({ prepare: "", sql, format: "JSONEachRow", tag: "point-read" });
  const text = bytes.toString("utf8").trim();
  if (text === "") {
    return undefined;
  }
  const facts = row.parse(JSON.parse(text));
  if (!engines.has(facts.engine) || facts.changing > 0 || facts.policies > 0) {
    return undefined;
  }
  const folder = join(engine.folder.enginePath, "store", facts.uuid.slice(0, 3), facts.uuid);
  return {
    folder,
    awayFolders: facts.paths.filter((path) => join(path, "/") !== join(folder, "/")),
    partitionKey: facts.partition_key,
    primaryKey: facts.primary_key.split(", "),
    columns: new Map(facts.names.map((name, index) => [name, facts.types[index] ?? ""])),
    filters: new Map(facts.filters),
  };
}
