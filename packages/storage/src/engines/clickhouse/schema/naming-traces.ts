import { idsAsBytes } from "./span-sql.ts";

/**
 * Replaces the parameter `ids` by literals in the statement's text. Only then ClickHouse knows before reading which
 * shards may have the traces. A parameter would cost a query to read the ids, which takes 2 ms. They are written as
 * bytes, because functions that convert hex take about 0.1 ms of planning for each id. A single id is compared with
 * `=`: ClickHouse makes a set of any list before it uses an index, which takes half a millisecond.
 * @param ids at least one, of 32 hex digits each
 */
export function namingTraces(sql: string, ids: readonly string[]): string {
  const [first, ...further] = ids.map(fixedBytes);
  const isNamed = further.length === 0 ? `= ${first}` : `IN (${[first, ...further].join(", ")})`;
  return sql.replaceAll(`IN ${idsAsBytes}`, isNamed);
}

/**
 * Makes a statement for one trace run on one thread. There are too few granules for a second reader, and a second
 * thread that only passes rows on costs a tenth of the processor time: docs/adr/016-where-searches-spend-their-time.md.
 * @param sql statement; returned unchanged when it has no settings
 */
export function onOneThread(sql: string): string {
  return sql.replace("SETTINGS ", "SETTINGS max_threads = 1, ");
}

/** The type of the column converts the text to a `FixedString`. @throws Error for an id that is not hexadecimal */
function fixedBytes(id: string): string {
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new Error(`"${id}" is not the id of a trace`);
  }
  return `'${id.replaceAll(/../g, "\\x$&")}'`;
}
