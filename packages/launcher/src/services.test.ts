import { expect, test } from "vitest";
import { services } from "./services.ts";

const namesOf = (scope: Omit<Parameters<typeof services>[0], "dataFolder">) =>
  services({ dataFolder: "/data", ...scope }).map(({ name }) => name);

test("what takes traffic in is stopped first, the store last", () => {
  expect(namesOf({ demo: true })).toEqual([
    "shop",
    "admin-server",
    "tracing-agent",
    "tracing-collector",
    "tracing-query",
    "tracing-storage",
  ]);
});

test("with a ClickHouse elsewhere there is no store here, and those that need one know where it is", () => {
  const list = services({ dataFolder: "/data", clickhouse: "http://ch:8123" });
  expect(list.map(({ name }) => name)).not.toContain("tracing-storage");
  const told = list.filter(({ environment }) => environment.CLICKHOUSE_URL === "http://ch:8123");
  expect(told.map(({ name }) => name)).toEqual(["tracing-collector", "tracing-query"]);
});

test("the web server alone traces to nobody", () => {
  const [server, ...others] = services({ dataFolder: "/data", serverOnly: true });
  expect(others).toEqual([]);
  expect(server?.name).toBe("admin-server");
  expect(server?.environment.OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined();
  // The saved configuration without tracing has no UI. A start with tracing must not resume it, but keeps its
  // certificates.
  const [front] = services({ dataFolder: "/data" });
  expect(server?.stateFile).not.toBe(front?.stateFile);
  expect(server?.environment.XDG_CONFIG_HOME).not.toBe(front?.environment.XDG_CONFIG_HOME);
  expect(server?.environment.XDG_DATA_HOME).toBe(front?.environment.XDG_DATA_HOME);
});
