import { QueryClient } from "@tanstack/react-query";
import { expect, onTestFinished, test, vi } from "vitest";
import { traceQlSearchQuery } from "./traceql-search.ts";

test("without a root a trace is named after the service with the most spans, which comes first", async () => {
  const trace = {
    traceID: "5b8efff798038103d269b633813fc60c",
    rootServiceName: "<root span not yet received>",
    startTimeUnixNano: "1795227853859000000",
    serviceStats: { cart: { spanCount: 1 }, shop: { spanCount: 7, errorCount: 2 }, bank: { spanCount: 7 } },
  };
  vi.stubGlobal("document", { baseURI: "http://ui.example/" });
  vi.stubGlobal("fetch", async () => Response.json({ traces: [trace] }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const query = traceQlSearchQuery({ q: "{ }", range: { startUs: 0, endUs: 1e6 }, limit: 20 });
  const [row] = await new QueryClient().fetchQuery(query);
  expect(row).toMatchObject({ rootService: "bank", rootFound: false, spans: 15, errors: 2 });
  expect(row?.services.map(({ name }) => name)).toEqual(["bank", "shop", "cart"]);
});
