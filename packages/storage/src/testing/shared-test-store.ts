import { afterAll, beforeAll } from "vitest";
import type { TraceStore } from "../api/trace-store.ts";
import { openClickHouseStore } from "../engines/clickhouse/clickhouse-store.ts";
import {
  newDatabaseName,
  runSql,
  startTestServer,
  type TestServer,
} from "../engines/clickhouse/test-server.ts";

/** The store and the server that the tests of a file share. Store and server are ready when the first test runs. */
export interface SharedTestStore {
  readonly database: string;
  readonly url: string;
  readonly store: TraceStore;
  /** Runs one statement directly on the server and returns the answer as text. */
  sql(sql: string, parameters?: Record<string, string>): Promise<string>;
}

/**
 * Opens a store with a new database before the first test of a file. Closes the store and drops the database after the
 * last test.
 */
export function shareTestStore(): SharedTestStore {
  const database = newDatabaseName();
  let server: TestServer;
  let store: TraceStore;
  beforeAll(async () => {
    server = await startTestServer();
    store = openClickHouseStore({ urls: [server.url], database });
    await store.ready();
  });
  afterAll(async () => {
    await store?.close();
    if (server !== undefined) {
      await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
    }
    await server?.stop();
  });
  return {
    database,
    get url() {
      return server.url;
    },
    get store() {
      return store;
    },
    sql: (sql, parameters) => runSql(server.url, sql, parameters),
  };
}
