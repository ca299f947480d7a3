import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import type { DataSourceSettings } from "./plugin-client.ts";
import type { DataSourceType } from "./plugin-process.ts";

const file = fileURLToPath(
  new URL("../../../../docker/grafana/provisioning/datasources/tracing.yaml", import.meta.url),
);
const dataSource = z.object({
  name: z.string(),
  uid: z.string(),
  type: z.string(),
  url: z.url(),
  jsonData: z.record(z.string(), z.unknown()).optional(),
});
const provisioning = z.object({ datasources: z.array(dataSource) });

/** A data source from the provisioning file. */
export type ProvisionedDataSource = z.infer<typeof dataSource>;

/** All data sources of the Compose file's Grafana. */
export function provisionedDataSources(): ProvisionedDataSource[] {
  return provisioning.parse(parse(readFileSync(file, "utf8"))).datasources;
}

/**
 * A data source as in the Grafana of the Compose file.
 * @param base base URL of the query service that replaces the host in the file, such as `http://127.0.0.1:16686`
 * @throws Error when the file has no data source of this type
 */
export function provisionedDataSource(type: DataSourceType, base: string): DataSourceSettings {
  const found = provisionedDataSources().find((one) => one.type === type);
  if (found === undefined) {
    throw new Error(`${file} has no data source of type ${type}`);
  }
  const { name, uid, jsonData } = found;
  const url = base + new URL(found.url).pathname.replace(/\/$/, "");
  return { type, name, uid, url, ...(jsonData === undefined ? {} : { jsonData }) };
}
