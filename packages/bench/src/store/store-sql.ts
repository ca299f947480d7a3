const timeoutMs = 3_600_000;

/** Runs one statement on a ClickHouse over HTTP, not through the storage package. @throws Error with the answer */
export async function storeSql(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: "POST", body: sql, signal: AbortSignal.timeout(timeoutMs) });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`the store answered ${answer.status} to "${sql}": ${text.trim()}`);
  }
  return text.trim();
}

/** Processor time and reads of all queries since the server started. */
export interface StoreCost {
  readonly rows: number;
  readonly bytes: number;
  readonly cpuMs: number;
}

/** Sums of all queries until now. */
export async function storeCost(url: string): Promise<StoreCost> {
  const text = await storeSql(
    url,
    "SELECT sumIf(value, event = 'SelectedRows'), sumIf(value, event = 'SelectedBytes'), " +
      "sumIf(value, event = 'OSCPUVirtualTimeMicroseconds') FROM system.events FORMAT TSV",
  );
  const [rows = 0, bytes = 0, cpuUs = 0] = text.split("\t").map(Number);
  return { rows, bytes, cpuMs: cpuUs / 1000 };
}
