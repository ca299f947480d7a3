/**
 * Columns that identify a span. The id alone does not suffice, because both sides of a call may have the same id.
 * Senders that repeat a batch after a lost answer cause copies. `distinctFacts` uses the same rule for spans in memory.
 */
export const spanIdentity = "trace_id, span_id, kind, service, name, start, duration, status";

/** Hash of a span; all copies have the same hash. */
export const spanHash = `cityHash64(tenant, ${spanIdentity})`;

/** Table expression with the spans of a condition, without copies. */
export function withoutCopies(database: string, where: string): string {
  return `(SELECT * FROM ${database}.spans AS stored WHERE ${where} LIMIT 1 BY ${spanIdentity}) AS stored`;
}

/**
 * FROM and WHERE for the spans of a condition.
 * @param where condition, which includes one tenant
 * @param areRepeated true when some spans may be stored more than once. If so, copies are removed, which takes longer.
 */
export function fromSpans(database: string, where: string, areRepeated: boolean): string {
  return areRepeated
    ? `FROM ${withoutCopies(database, where)}`
    : `FROM ${database}.spans AS stored WHERE ${where}`;
}
