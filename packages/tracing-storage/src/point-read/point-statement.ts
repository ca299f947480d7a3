export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A statement for rows of a table by values of one column. */
export interface PointStatement {
  readonly table: TableName;
  /** Columns in the order of the answer. */
  readonly columns: readonly string[];
  /** The key column; the next field has its values in hex. */
  readonly key: string;
  readonly keys: readonly string[];
  /** Another column, and the parameter with the value that the column must have. */
  readonly equal: { readonly column: string; readonly parameter: string };
  /** Restriction to the partitions and minutes that another table has for the same keys. */
  readonly places: {
    readonly table: TableName;
    readonly partition: string;
    readonly minute: string;
  };
  /** Columns of `table`: the column of the partition, and the time column whose minutes are compared. */
  readonly partition: string;
  readonly time: string;
}

const word = "[A-Za-z_][A-Za-z0-9_]*";
const bytes = "'(?:\\\\x[0-9a-f]{2})+'";
const isNamed = `(= ${bytes}|IN \\(${bytes}(?:, ${bytes})*\\))`;
const setting = `${word} = (?:[0-9]+|'[A-Za-z0-9_]*')`;
const shape = new RegExp(
  `^SELECT (${word}(?:, ${word})*) FROM (${word})\\.(${word}) PREWHERE (${word}) ${isNamed} ` +
    `WHERE (${word}) = \\{(${word}):String\\} AND indexHint\\(\\((${word}), toStartOfMinute\\((${word})\\)\\) IN ` +
    `\\(SELECT (${word}), (${word}) FROM (${word})\\.(${word}) WHERE (${word}) ${isNamed}\\)\\) ` +
    `SETTINGS (${setting}(?:, ${setting})*) FORMAT RowBinary$`,
);
/** Settings that concern how rows are found, and do not change the result. */
const harmless: ReadonlySet<string> = new Set([
  "max_threads",
  "ignore_data_skipping_indices",
  "use_uncompressed_cache",
  "merge_tree_max_rows_to_use_cache",
  "output_format_parallel_formatting",
  "max_execution_time",
  "readonly",
  "cancel_http_readonly_queries_on_client_close",
  "use_statistics_for_part_pruning",
  "optimize_const_name_size",
]);

/**
 * Parses a statement of the only supported form: rows by values of a key, restricted to partitions and minutes from a
 * second table.
 * @param settings names of the request's settings
 * @returns undefined for any other statement
 */
export function pointStatementOf(sql: string, settings: Iterable<string>): PointStatement | undefined {
  const match = shape.exec(sql);
  if (match === null) {
    return undefined;
  }
  const [, columns = "", database = "", table = "", key = "", named = "", column = "", parameter = ""] =
    match;
  const [partition = "", time = "", partitionThere = "", minute = "", otherDatabase = "", otherTable = ""] =
    match.slice(8);
  const [otherKey, otherNamed, ownSettings = ""] = match.slice(14);
  if (otherKey !== key || otherNamed !== named) {
    return undefined;
  }
  const names = ownSettings.split(", ").map((setting) => setting.split(" ")[0] ?? "");
  for (const name of [...names, ...settings]) {
    if (!harmless.has(name)) {
      return undefined;
    }
  }
  return {
    table: { database, table },
    columns: columns.split(", "),
    key,
    keys: [...named.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text.replaceAll("\\x", "")),
    equal: { column, parameter },
    places: { table: { database: otherDatabase, table: otherTable }, partition: partitionThere, minute },
    partition,
    time,
  };
}
