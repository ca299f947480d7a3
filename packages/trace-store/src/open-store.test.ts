import { createLogger, tenancyOptions } from "lifecycle";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openStore } from "./open-store.ts";
import { storeOptions } from "./store-options.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const fields = z.object({ ...storeOptions("Where spans are."), ...tenancyOptions() });
const open = (options: Readonly<Record<string, unknown>>) => openStore(fields.parse(options), log);

describe("openStore", () => {
  test.each([
    ["clickhouse", {}],
    ["memory", {}],
    ["grpc", { "grpc-storage.server": "localhost:17271" }],
  ])("opens %s, and asks nothing of it yet", async (type, options) => {
    await open({ "span-storage.type": type, ...options }).close();
  });

  test.each([
    [
      { "span-storage.type": "grpc" },
      'storage: "" is not the host:port of a remote storage: see the options --grpc-storage.*',
    ],
    [
      { "clickhouse.database": "a b" },
      'storage: database name "a b" is not 1 to 64 letters, digits and _: see the options --clickhouse.*',
    ],
    [
      { "span-storage.type": "grpc", "grpc-storage.server": "localhost:1", "grpc-storage.tls.ca": "/ca.pem" },
      "grpc-storage.tls.* options cannot be used when grpc-storage.tls.enabled is false",
    ],
  ])("refuses %j", (options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});
