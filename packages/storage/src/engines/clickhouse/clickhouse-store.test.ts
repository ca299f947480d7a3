import { afterAll, beforeAll } from "vitest";
import { traceStoreContract } from "../../contract/trace-store-contract.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
const database = newDatabaseName();
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  await server.stop();
});

traceStoreContract({ name: "clickhouse", open: () => openClickHouseStore({ urls: [server.url], database }) });
