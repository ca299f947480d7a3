import { expect, test } from "vitest";
import { pageWithTrace } from "./page-with-trace.ts";

const saved = {
  trace: {
    traceID: "abc",
    spans: [],
    processes: { p1: { serviceName: "</script><script>alert(1)</script><!-- $& -->", tags: null } },
    warnings: null,
  },
  peers: [],
  search: "?q=%3C",
  savedAt: 1,
};

test("data stays data: nothing in it ends its element, and it is read back as it was", () => {
  const page = pageWithTrace("<body><!-- trace data --><script>run()</script></body>", saved);
  const parts =
    /^<body><script type="application\/json" id="trace-data">(.*?)<\/script><script>run\(\)<\/script><\/body>$/s.exec(
      page ?? "",
    );
  expect(parts?.[1]).not.toContain("<");
  expect(JSON.parse(parts?.[1] ?? "")).toEqual(saved);
});

test("a page without a place for the data is no viewer", () => {
  expect(pageWithTrace("<html></html>", saved)).toBeUndefined();
});
