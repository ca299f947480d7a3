/**
 * The columns that identify a span: senders repeat a batch whose answer was lost, and both sides of a call
 * may share an id. `distinctFacts` uses the same rule on spans in memory.
 */
export const spanIdentity = "trace_id, span_id, kind, service, name, start, duration, status";

/** The hash that rows of one span share. */
export const spanHash = `cityHash64(tenant, ${spanIdentity})`;

/** The spans of a condition as a table expression, each once. */
export function withoutCopies(database: string, where: string): string {
  return `(SELECT * FROM ${database}.spans AS stored WHERE ${where} LIMIT 1 BY ${spanIdentity}) AS stored`;
}

/**
 * The spans of a condition, as FROM and WHERE.
 * @param where of one tenant
 * @param areRepeated whether some of them may be stored more than once; then each is read once, which takes longer
 */
export function fromSpans(database: string, where: string, areRepeated: boolean): string {
  return areRepeated
    ? `FROM ${withoutCopies(database, where)}`
    : `FROM ${database}.spans AS stored WHERE ${where}`;
}
