import { idsAsBytes } from "./span-sql.ts";

/**
 * A statement for the parameter `ids` as one that has the ids in its text: only then ClickHouse knows which shards may
 * have them, before it asks; and it need not run a query of its own to know the ids, which takes 2 ms. As bytes, since
 * functions that make them of hex take some 0.1 ms of planning for each id. One id is compared: a list, of one too, is made
 * a set of before each index is looked at, which takes half a millisecond.
 * @param ids one at least, 32 hex digits each
 */
export function namingTraces(sql: string, ids: readonly string[]): string {
  const [first, ...further] = ids.map(fixedBytes);
  const isNamed = further.length === 0 ? `= ${first}` : `IN (${[first, ...further].join(", ")})`;
  return sql.replaceAll(`IN ${idsAsBytes}`, isNamed);
}

/**
 * A statement for one trace on one thread. Its granules are too few for a second reader, and a second thread that only passes on what
 * the first has read costs a tenth of the processor time: docs/adr/016-where-searches-spend-their-time.md.
 * @param sql without settings it stays as it is
 */
export function onOneThread(sql: string): string {
  return sql.replace("SETTINGS ", "SETTINGS max_threads = 1, ");
}

/** The type of the column makes it a `FixedString`. @throws Error for other than hex */
function fixedBytes(id: string): string {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error(`"${id}" is not the id of a trace`);
  return `'${id.replaceAll(/../g, "\\x$&")}'`;
}
