import { createLogger, type ProcessContext, parseOptions } from "lifecycle";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { type QueryOptions, queryOptions } from "./query-options.ts";
import { queryProcess } from "./query-process.ts";

function contextOf(...args: string[]): ProcessContext<QueryOptions> {
  return {
    options: parseOptions(queryOptions, { arguments: args, environment: {} }).options as QueryOptions,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics: new Registry(),
    health: { status: "available", set() {} },
    signal: new AbortController().signal,
  };
}

const anyPorts = [
  "--query.http-server.host-port",
  "127.0.0.1:0",
  "--query.grpc-server.host-port",
  "127.0.0.1:0",
];

test("starts while its store is away, and stops", async () => {
  const running = await queryProcess.start(contextOf(...anyPorts, "--clickhouse.url", "http://127.0.0.1:1"));
  await running.stop(AbortSignal.timeout(5_000));
});

describe("refuses to start with", () => {
  test.each([["tracing"], ["/tracing/"], ["//"]])("the base path %s", (path) => {
    expect(() => contextOf("--query.base-path", path)).toThrow(
      `invalid base path '${path}'. Must start but not end with a slash '/', e.g. '/tracing/ui'`,
    );
  });

  test("one port for HTTP and gRPC", async () => {
    const context = contextOf(
      "--query.http-server.host-port",
      ":1234",
      "--query.grpc-server.host-port",
      ":1234",
    );
    await expect(queryProcess.start(context)).rejects.toThrow("HTTP and gRPC cannot share port 1234");
  });

  test("an address of the store that is none", async () => {
    const context = contextOf(...anyPorts, "--clickhouse.url", "ftp://x");
    await expect(queryProcess.start(context)).rejects.toThrow(
      'storage: address "ftp://x" is not an http or https URL: see --clickhouse.url',
    );
  });
});
