import { expect, test } from "vitest";
import { provisionedDataSource } from "./provisioned-data-sources.ts";

test.each([
  ["jaeger", "http://127.0.0.1:1"],
  ["tempo", "http://127.0.0.1:1/tempo"],
] as const)("the Compose file's Grafana finds %s at the query service", (type, url) => {
  expect(provisionedDataSource(type, "http://127.0.0.1:1")).toMatchObject({ type, url });
});
