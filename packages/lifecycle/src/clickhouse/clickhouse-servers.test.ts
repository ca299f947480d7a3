import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { createLogger } from "../logger.ts";
import { parseOptions } from "../options/parse-options.ts";
import { clickHouseOptions } from "./clickhouse-options.ts";
import { clickHouseServers } from "./clickhouse-servers.ts";

const log = createLogger({ name: "test", level: "error", encoding: "json" });
const schema = z.object(clickHouseOptions("http://127.0.0.1:8123", "Addresses."));
const parse = (...args: string[]) => parseOptions(schema, { arguments: args, environment: {} }).options;

test("addresses come in a list, or one by one", () => {
  expect(parse()["clickhouse.url"]).toEqual(["http://127.0.0.1:8123"]);
  const { urls } = clickHouseServers(
    parse("--clickhouse.url", "http://a:1, http://b:2", "--clickhouse.url=http://c:3"),
    log,
  );
  expect(urls).toEqual(["http://a:1", "http://b:2", "http://c:3"]);
});

test("a cluster is what the options name", () => {
  expect(clickHouseServers(parse(), log).cluster).toBeUndefined();
  expect(clickHouseServers(parse("--clickhouse.cluster", "main"), log).cluster).toEqual({
    ...{ name: "main", isReplicated: true, insertQuorum: 0, onCluster: false },
  });
  const options = parse(
    ...["--clickhouse.cluster=main", "--clickhouse.replicated=false"],
    ...["--clickhouse.insert-quorum=auto", "--clickhouse.on-cluster"],
  );
  expect(clickHouseServers(options, log).cluster).toEqual({
    ...{ name: "main", isReplicated: false, insertQuorum: "auto", onCluster: true },
  });
  expect(() => parse("--clickhouse.insert-quorum=most")).toThrow("neither auto nor a number");
});

test("the metric says which servers answer, for several engines of a process", async () => {
  const metrics = new Registry();
  const one = clickHouseServers(parse(), log, metrics);
  one.onHostChange("http://a/", true, "");
  clickHouseServers(parse(), log, metrics).onHostChange("http://b/", true, "");
  one.onHostChange("http://a/", false, "gone");
  one.onHedge("search", "won");
  const text = await metrics.metrics();
  expect(text).toContain('tracing_clickhouse_hedged_calls_total{kind="search",outcome="won"} 1');
  expect(text).toContain('tracing_clickhouse_host_up{host="http://a/"} 0');
  expect(text).toContain('tracing_clickhouse_host_up{host="http://b/"} 1');
});
