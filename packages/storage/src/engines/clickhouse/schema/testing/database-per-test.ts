import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { TraceStore } from "../../../../api/trace-store.ts";
import { openClickHouseStore } from "../../clickhouse-store.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../../test-server.ts";

/** The server of a test file, and the database of the test that runs. */
export interface DatabasePerTest {
  /** URL of the server; known while tests run. */
  readonly url: string;
  /** Name of a database that does not exist yet. It is dropped after the test. */
  readonly database: string;
  /** Opens a store on the database. It is closed after the test. */
  open(): TraceStore;
}

/**
 * Starts a server for all tests of a file, and gives each test a new database name. Must be called outside of tests.
 */
export function databasePerTest(): DatabasePerTest {
  let server: TestServer;
  let database: string;
  const stores: TraceStore[] = [];
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    database = newDatabaseName();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  });
  return {
    get url() {
      return server.url;
    },
    get database() {
      return database;
    },
    open() {
      const store = openClickHouseStore({ urls: [server.url], database });
      stores.push(store);
      return store;
    },
  };
}
