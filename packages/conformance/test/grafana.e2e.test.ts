// Our query service, called through the programs that Grafana starts for its Jaeger and Tempo data sources.
// docs/grafana.md names the file for Grafana.

import { expect, test } from "vitest";
import { compareGrafana } from "../src/grafana/compare-grafana.ts";
import { grafanaVerdict } from "../src/grafana/grafana-verdict.ts";
import { findPlugins } from "../src/grafana/plugin-process.ts";

const plugins = findPlugins();

test.skipIf(Object.keys(plugins).length === 0)(
  "Grafana's data sources show our traces, and what they show of Jaeger's (skipped without $GRAFANA_PLUGINS)",
  async () => {
    const result = await compareGrafana(plugins);
    const { isGood, text } = grafanaVerdict(result);
    if (!isGood) {
      expect.fail(text);
    }
  },
  900_000,
);
