import { commaList } from "lifecycle";
import { z } from "zod";

/** Where spans go. */
export const storageOptions = z.object({
  "span-storage.type": z
    .enum(["clickhouse", "memory"])
    .default("clickhouse")
    .describe("Where spans go; memory is this process's own, for tests."),
  "clickhouse.url": commaList("http://127.0.0.1:8123").describe(
    "HTTP addresses of tracing-storage or ClickHouse; the next one is used when one is away.",
  ),
  "clickhouse.database": z.string().default("tracing").describe("Database of the tables."),
  "clickhouse.user": z.string().default("default").describe("User of ClickHouse."),
  "clickhouse.password": z.string().default("").describe("The user's password."),
});
