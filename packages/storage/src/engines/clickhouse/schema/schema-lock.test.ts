import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { runSql } from "../test-server.ts";
import { withSchemaLock } from "./schema-lock.ts";
import { databasePerTest } from "./testing/database-per-test.ts";

const server = databasePerTest();
let connection: ClickHouseConnection;
let database: string;

beforeEach(async () => {
  database = server.database;
  await runSql(server.url, `CREATE DATABASE ${database}`);
  connection = new ClickHouseConnection({
    ...{ urls: [server.url], user: "default", password: "", requestTimeoutMs: 60_000, maxConnections: 4 },
    maxReadBytes: 1_000_000,
  });
});

afterEach(() => connection.close());

/** A connection on which statements that begin with this text cannot reach the server. */
function away(beginning: string): ClickHouseConnection {
  return new Proxy(connection, {
    get(target, name) {
      if (name === "command") {
        return async (sql: string, signal?: AbortSignal) => {
          if (!sql.startsWith(beginning)) {
            return await target.command(sql, signal);
          }
          if (beginning === "CREATE") {
            await target.command(sql, signal);
          }
          throw new Error("away");
        };
      }
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Far longer than a test, so that no lock is taken over because of its age. */
const staleSeconds = 3_600;
const soon = () => AbortSignal.timeout(1_000);

describe("withSchemaLock", () => {
  test("takes over at once what this process left when the server went away in its work", async () => {
    const work = withSchemaLock(away("DROP"), database, () => Promise.reject(new Error("cut")));
    await expect(work).rejects.toThrow("cut");
    expect(await runSql(server.url, `EXISTS ${database}.schema_lock`)).toBe("1");
    let working = 0;
    const seen: number[] = [];
    const next = () =>
      withSchemaLock(
        connection,
        database,
        async () => {
          seen.push(++working);
          await runSql(server.url, "SELECT sleep(0.1)");
          working--;
        },
        { staleSeconds },
      );
    await Promise.all([next(), next(), next()]);
    expect(seen).toEqual([1, 1, 1]);
  });

  test("takes over a lock whose making was not answered", async () => {
    const made = withSchemaLock(away("CREATE"), database, () => Promise.resolve("never"));
    await expect(made).rejects.toThrow("away");
    expect(await withSchemaLock(connection, database, async () => "done", { staleSeconds })).toBe("done");
  });

  test("waits for a lock of another process that is renewed", async () => {
    const lock = `CREATE TABLE ${database}.schema_lock (nothing UInt8) ENGINE = Memory COMMENT 'another 1'`;
    await runSql(server.url, lock);
    const options = { staleSeconds, signal: soon() };
    await expect(withSchemaLock(connection, database, async () => "done", options)).rejects.toThrow(
      /aborted|gave up/i,
    );
    expect(await runSql(server.url, `EXISTS ${database}.schema_lock`)).toBe("1");
  });
});
