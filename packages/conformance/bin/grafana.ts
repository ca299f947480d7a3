import { parseArgs } from "node:util";
import { compareGrafana } from "../src/grafana/compare-grafana.ts";
import { grafanaVerdict } from "../src/grafana/grafana-verdict.ts";
import { findPlugins } from "../src/grafana/plugin-process.ts";

const help = `Asks our query service through Grafana's own data sources of Jaeger and of Tempo: the programs that Grafana starts for
them, set up as in the Compose file. Where Jaeger's program is too, its data source asks that the same, and what Grafana would
show is compared. (\`conformance -- tempo\` compares with Tempo.)

Usage: npm run conformance -- grafana [options]

  --peer <path>    folder with gpx_grafana-jaeger-datasource and gpx_grafana-tempo-datasource, such as Grafana's folder of
                   plugins (default: $GRAFANA_PLUGINS, else packages/conformance/peers/bin)
  --models <path>  folder with jaeger-all-in-one (default: $PEERS, else packages/conformance/peers/bin)

Exit code 0 when all answers are as expected and differences known ones, 2 when neither data source is there.
`;

/** Runs the command `grafana`. @returns the exit code */
export async function grafanaCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peer: { type: "string" },
      models: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const plugins = findPlugins(values.peer);
  if (Object.keys(plugins).length === 0) {
    console.error("skipped: Grafana's data sources are not here; --help says where they are looked for");
    return 2;
  }
  const { isGood, text } = grafanaVerdict(await compareGrafana(plugins, values.models));
  console.log(text);
  return isGood ? 0 : 1;
}
