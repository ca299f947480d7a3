import { describe, expect, onTestFinished, test, vi } from "vitest";
import { StorageError } from "../../api/storage-error.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseDependencies } from "./clickhouse-dependencies.ts";
import { SchemaGuard } from "./schema/schema-guard.ts";

/** @param acquire result of the request for the lease */
function dependenciesWith(acquire: () => Promise<boolean>): ClickHouseDependencies {
  const connection = new ClickHouseConnection({
    ...{
      urls: ["http://127.0.0.1:1"],
      user: "default",
      password: "",
      database: "d",
      requestTimeoutMs: 1_000,
    },
    ...{ maxConnections: 1, maxReadBytes: 1_000 },
  });
  onTestFinished(() => connection.close());
  return new ClickHouseDependencies(connection, new SchemaGuard(connection, "d"), {
    database: "d",
    leases: {
      acquireLease: acquire,
    },
  });
}

describe("blockWritten", () => {
  test.each([
    ["somebody else has the lease", async () => false],
    [
      "the store is away",
      async () => {
        throw new StorageError("STORAGE_UNAVAILABLE", "away");
      },
    ],
  ])("starts a step each minute, one at a time, when %s", async (_, acquire) => {
    const lease = vi.fn(acquire);
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    onTestFinished(() => now.mockRestore());
    const dependencies = dependenciesWith(lease);
    dependencies.blockWritten();
    now.mockReturnValue(1_059_999);
    dependencies.blockWritten();
    expect(lease).not.toHaveBeenCalled();
    now.mockReturnValue(1_060_000);
    dependencies.blockWritten();
    now.mockReturnValue(1_200_000);
    dependencies.blockWritten();
    expect(lease).toHaveBeenCalledOnce();
    await dependencies.close();
    dependencies.blockWritten();
    await dependencies.close();
    expect(lease).toHaveBeenCalledTimes(2);
  });
});
