import { expect, test } from "vitest";
import { metricsPage } from "./metrics-page.ts";

test("Metrics of a process come first, those under other names and Node's own after them", () => {
  const page = metricsPage(
    "tracing-agent",
    [
      "# HELP nodejs_version_info Node.js version info.",
      "# TYPE nodejs_version_info gauge",
      "# HELP tracing_b_total What | happened.",
      "# TYPE tracing_b_total counter",
      "tracing_b_total 1",
      "# HELP jaeger_b_total What | happened.",
      "# TYPE jaeger_b_total counter",
    ].join("\n"),
  );
  const own = page.indexOf("| `tracing_b_total` | counter | What \\| happened. |");
  const other = page.indexOf("- `jaeger_b_total`");
  const node = page.indexOf("| `nodejs_version_info` | gauge | Node.js version info. |");
  expect(own).toBeGreaterThan(0);
  expect(other).toBeGreaterThan(own);
  expect(node).toBeGreaterThan(other);
});
