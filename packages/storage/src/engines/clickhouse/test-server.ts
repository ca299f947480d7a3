import { randomBytes } from "node:crypto";

/** A server for tests. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const url = process.env.TRACING_TEST_CLICKHOUSE_URL;
  if (url !== undefined) return { url, stop: async () => {} };
  throw new Error("not yet");
}

export function newDatabaseName(): string {
  return `test_${randomBytes(6).toString("hex")}`;
}

/** Runs one statement, past the engine under test; the answer as text. */
export async function runSql(url: string, sql: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: sql });
  const text = await response.text();
  if (!response.ok) throw new Error(`${sql}: ${text}`);
  return text.trim();
}
