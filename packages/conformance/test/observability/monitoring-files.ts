// Dashboards and rules of this repository, for Grafana and Prometheus.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";

const docker = fileURLToPath(new URL("../../../../docker/", import.meta.url));

/** Folder with Prometheus' configuration and rules. */
export const prometheusFolder = `${docker}prometheus/`;

/** Files in that folder for promtool, which test that each alert fires. */
export const alertTests = readdirSync(prometheusFolder).filter((file) => file.endsWith(".test.yml"));

const dashboardSchema = z.object({
  title: z.string().min(1),
  uid: z.string().min(1),
  schemaVersion: z.number().min(39),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string().min(1),
      description: z.string().min(1),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
});

const rulesSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string().optional(), record: z.string().optional(), expr: z.string() }),
      ),
    }),
  ),
});

const dashboardsFolder = `${docker}grafana/dashboards/`;

/** Each dashboard, with the name of its file. */
export const dashboards = readdirSync(dashboardsFolder).map((file) => ({
  file,
  ...dashboardSchema.parse(JSON.parse(readFileSync(`${dashboardsFolder}${file}`, "utf8"))),
}));

/** Alerts and recorded series. */
export const rules = readdirSync(`${prometheusFolder}rules`).flatMap((file) =>
  rulesSchema
    .parse(parse(readFileSync(`${prometheusFolder}rules/${file}`, "utf8")))
    .groups.flatMap((group) => group.rules),
);
