// deploy/helm: compares the output of its charts with golden/ and with deploy/kubernetes, and checks it;
// kubernetes.test.ts uses it too. On a machine with Helm (packages/conformance/peers/build.sh helm), the output is made
// again and compared: `vitest run PATH --update` accepts it. The test uses no cluster.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { goldenFolder, kubernetesFolder, readManifests, readRendered } from "./manifests.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const charts = join(root, "deploy", "helm");
const helm = join(process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers"), "helm");
const withoutHelm = existsSync(helm) ? "" : ` (skipped without ${helm})`;
const chartNames = ["tracing", "server"];
const cases = chartNames.flatMap((chart) =>
  readdirSync(join(charts, chart, "ci")).map((file) => ({ chart, values: file.replace(".yaml", "") })),
);

const document = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Document = z.infer<typeof document>;

function read(file: string): unknown {
  return parse(readFileSync(file, "utf8"));
}

function rendered(chart: string, values: string): Document[] {
  return readRendered()
    .filter(({ file }) => file === `chart ${chart}-${values}`)
    .map(({ value }) => document.parse(value));
}

function runHelm(...args: readonly string[]) {
  return spawnSync(helm, args, {
    encoding: "utf8",
    cwd: charts,
    env: { ...process.env, HELM_PLUGINS: "/nowhere" },
  });
}

function template(chart: string, ...args: readonly string[]) {
  return runHelm("template", chart, chart, "--namespace", "tracing", "--kube-version", "1.34.0", ...args);
}

describe.each(cases)("chart $chart with $values", ({ chart, values }) => {
  const file = join(charts, chart, "ci", `${values}.yaml`);

  test.skipIf(withoutHelm !== "")(`Helm makes what is kept${withoutHelm}`, async () => {
    const { stdout, stderr, status } = template(chart, "--values", file);
    expect(status, stderr).toBe(0);
    await expect(stdout).toMatchFileSnapshot(join(goldenFolder, `${chart}-${values}.yaml`));
  });

  test("names are unique, and services are there whose names are in addresses and of which pods get names", () => {
    const found = rendered(chart, values);
    const names = found.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    const services = found.filter(({ kind }) => kind === "Service").map(({ metadata }) => metadata.name);
    for (const { kind, spec } of found) {
      if (kind === "StatefulSet") {
        expect(services).toContain(statefulSet.parse(spec).serviceName);
      }
    }
    const text = readFileSync(join(goldenFolder, `${chart}-${values}.yaml`), "utf8");
    for (const [, name] of text.matchAll(addressesOfServices)) {
      expect(services).toContain(name);
    }
  });
});

/** Fields that cannot be changed after the creation of an object. */
const unchangeable = z.object({
  selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
  volumeClaimTemplates: z
    .array(z.object({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()).default({}) }) }))
    .default([]),
});

test("a new version of a chart can take the place of an old one", () => {
  const workloads = readRendered()
    .map(({ value }) => document.parse(value))
    .filter(({ kind }) => ["DaemonSet", "Deployment", "StatefulSet"].includes(kind));
  expect(workloads.length).toBeGreaterThan(2);
  for (const { metadata, spec } of workloads) {
    const { selector, volumeClaimTemplates } = unchangeable.parse(spec);
    const labels = [selector.matchLabels, ...volumeClaimTemplates.map((each) => each.metadata.labels)];
    const names = labels.flatMap((each) => Object.keys(each));
    // Otherwise an upgrade fails, and the workload must be deleted first.
    expect(
      names.filter((name) => /version|chart|checksum/.test(name)),
      metadata.name,
    ).toEqual([]);
  }
});

const statefulSet = z.object({ serviceName: z.string() });
const addressesOfServices =
  /(?:dns:\/\/\/|http:\/\/|h2c:\/\/|reverse_proxy |dynamic a )([a-z]+-(?:collector|query|storage)[a-z-]*)/g;

/** Labels that Helm's charts have in addition to the labels of the manifests. */
const onlyOfCharts = /^(app\.kubernetes\.io\/(instance|version|managed-by)|helm\.sh\/chart|checksum\/.*)$/;

/**
 * The comparable part of a manifest: without Helm's labels, Kubernetes' defaults and image tags, and with the same name
 * for the front door.
 */
function essence(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => essence(each, key));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(
        ([name, each]) =>
          !onlyOfCharts.test(name) && !(name === "imagePullPolicy" && each === "IfNotPresent"),
      )
      .map(([name, each]) => [name, essence(each, name)] as const);
    return Object.fromEntries(
      entries.filter(([name, each]) => name !== "labels" || JSON.stringify(each) !== "{}").sort(),
    );
  }
  if (typeof value !== "string") {
    return value;
  }
  return key === "image"
    ? value.replace(/:[^:/]*$/, "")
    : value.replace(/^(?:tracing-)?front-door$/, "admin-server");
}

test("the chart and deploy/kubernetes make the same", () => {
  const keyOf = (each: Document) => `${each.kind} ${String(essence(each.metadata.name))}`;
  const isPolicy = (each: Document) => each.kind === "NetworkPolicy";
  const plain = readManifests()
    .filter(({ file }) => !file.startsWith("examples/"))
    .map(({ value }) => document.parse(value));
  // kubectl makes this object from the Serverfile; and Helm, not the chart, makes the namespace of a release.
  const ofChart = rendered("tracing", "plain");
  const configuration = ofChart.find(({ kind }) => kind === "ConfigMap");
  expect(configuration?.data).toEqual({
    Serverfile: readFileSync(join(kubernetesFolder, "Serverfile"), "utf8"),
  });
  const compared = (all: readonly Document[]) =>
    Object.fromEntries(
      all
        .filter((each) => each.kind !== "ConfigMap" && each.metadata.name !== "tracing" && !isPolicy(each))
        .map((each) => [keyOf(each), essence(withoutKind(each))]),
    );
  // Only the chart's budgets and autoscalers have labels.
  expect(compared(ofChart)).toEqual(compared(plain));
  const policies = (all: readonly Document[]) =>
    all
      .filter(isPolicy)
      .map(({ metadata, spec }) => [
        metadata.name
          .replace(/^tracing-(?=names|metrics|nothing)/, "")
          .replace("tracing-front-door", "admin-server"),
        rulesOf(spec),
      ])
      .sort();
  expect(policies(ofChart)).toEqual(policies(plain));
});

/**
 * The traffic that a policy allows. In the manifests the policy applies to all pods of a namespace, in a chart to the
 * pods of a release.
 */
function rulesOf(spec: unknown): unknown {
  const { podSelector: _pods, ...rules } = z.looseObject({}).parse(essence(spec));
  return rules;
}

function withoutKind({ metadata, ...rest }: Document): unknown {
  const { labels: _labels, ...others } = metadata;
  return { ...rest, metadata: others };
}

describe.each(chartNames)("values of %s", (chart) => {
  const schema = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(readFileSync(join(charts, chart, "values.schema.json"), "utf8")));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  const defaults = z.record(z.string(), z.unknown()).parse(read(join(charts, chart, "values.yaml")));

  test("the defaults are right, and each place of them has its names in the schema", () => {
    validate(defaults);
    expect(validate.errors).toBeNull();
    const wrong = withUnknownNames(defaults).filter((values) => validate(values));
    expect(wrong.map((values) => JSON.stringify(values))).toEqual([]);
  });

  test.skipIf(withoutHelm !== "")(`helm lint finds nothing${withoutHelm}`, () => {
    const { stdout, stderr, status } = runHelm("lint", "--strict", chart);
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
  });
});

/** Copies of the values; each copy has one unknown name in a different object. */
function withUnknownNames(values: Record<string, unknown>): Record<string, unknown>[] {
  const objects = Object.entries(values).filter(
    ([, each]) => typeof each === "object" && each !== null && !Array.isArray(each),
  );
  const free = new Set([
    ...[
      "commonLabels",
      "podAnnotations",
      "podLabels",
      "podSecurityContext",
      "annotations",
      "nodeSelector",
      "affinity",
    ],
    ...["requests", "limits", "behavior", "metricsFrom"],
  ]);
  return [
    { ...values, notThere: true },
    ...objects
      .filter(([name]) => !free.has(name))
      .flatMap(([name, each]) =>
        withUnknownNames(each as Record<string, unknown>).map((wrong) => ({ ...values, [name]: wrong })),
      ),
  ];
}

test.skipIf(withoutHelm !== "").each([
  ["tracing", "storage.enabled=false", /url/],
  ["tracing", "collector.autoscaling.minReplicas=20", /minReplicas is more than maxReplicas/],
  ["tracing", "agent.mode=daemon", /agent.mode|\/agent\/mode/],
  ["tracing", "collector.replica=3", /replica/],
  ["tracing", "ingress.enabled=true", /hosts/],
  ["tracing", "agent.createNamespace=true", /agent.namespace/],
  ["server", "ports[0].containerPort=443", /containerPort/],
] as const)(`chart %s refuses %s, and says what is wrong${withoutHelm}`, (chart, set, message) => {
  const { status, stderr } = template(chart, "--set", set);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(message);
});
