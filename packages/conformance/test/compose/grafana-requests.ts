import {
  type ProvisionedDataSource,
  provisionedDataSources,
} from "../../src/grafana/provisioned-data-sources.ts";
import type { ContainerEngine } from "./container-engine.ts";

/**
 * Grafana's requests below the URL of a data source: *Save & test*, then the requests that fill the fields of its
 * pages.
 */
const requests: Readonly<Record<string, readonly string[]>> = {
  prometheus: ["/api/v1/query?query=1%2B1", "/api/v1/status/buildinfo", "/api/v1/label/__name__/values"],
  tempo: [
    ...["/api/echo", "/api/status/buildinfo", "/api/v2/search/tags"],
    ...["/api/v2/search/tag/resource.service.name/values", "/api/search?q=%7B%7D&limit=20&spss=3"],
    "/api/metrics/query_range?q=%7B%7D%7Crate%28%29&since=15m",
  ],
  jaeger: ["/api/services", "/api/services/storefront/operations", "/api/dependencies?endTs=0&lookback=1"],
};

/** The status of a request to the store of metrics or traces, or the reason of its failure. */
async function statusOf(engine: ContainerEngine, url: string): Promise<string> {
  const script = `fetch(${JSON.stringify(url)}).then((answer) => answer.status, (error) => error.cause?.code ?? error.message).then(console.log)`;
  // This container is in Grafana's network and has Node.
  return await engine.podman("exec", engine.containerOf("admin-server"), "node", "-e", script);
}

/**
 * Sends the requests of every data source in docker/grafana to its URL, from the network of the containers.
 * @returns the requests that were not answered with 200
 */
export async function unansweredGrafanaRequests(engine: ContainerEngine): Promise<string[]> {
  const all = provisionedDataSources().flatMap(({ type, url }: ProvisionedDataSource) =>
    (requests[type] ?? ["(no requests are known)"]).map((path) => `${url}${path}`),
  );
  const answers = await Promise.all(all.map(async (url) => [url, await statusOf(engine, url)] as const));
  return answers.filter(([, status]) => status !== "200").map(([url, status]) => `${url}: ${status}`);
}
