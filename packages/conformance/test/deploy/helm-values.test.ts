// Typical values of users for the charts of deploy/helm, as Kubernetes would read them: names, labels, variables,
// accounts, volumes. The test needs Helm (packages/conformance/peers/build.sh helm).

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const charts = join(import.meta.dirname, "..", "..", "..", "..", "deploy", "helm");
const helm = join(process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers"), "helm");
const withoutHelm = existsSync(helm) ? "" : ` (skipped without ${helm})`;

const labels = z.record(z.string(), z.string()).default({});
const named = z.looseObject({ name: z.string() });
const podSpec = z.looseObject({
  serviceAccountName: z.string().optional(),
  topologySpreadConstraints: z.array(z.looseObject({})).default([]),
  containers: z.array(
    z.looseObject({ env: z.array(named).default([]), volumeMounts: z.array(named).default([]) }),
  ),
  volumes: z.array(named).default([]),
});
const documentSchema = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string(), labels }),
  spec: z
    .looseObject({
      selector: z.unknown().optional(),
      template: z.object({ metadata: z.looseObject({ labels }), spec: podSpec }).optional(),
    })
    .optional(),
});

function runHelm(args: readonly string[], input = "") {
  return spawnSync(helm, args, {
    encoding: "utf8",
    cwd: charts,
    input,
    env: { ...process.env, HELM_PLUGINS: "/nowhere" },
  });
}

/** @throws Error with Helm's error, or when the text has a key twice, which some YAML readers refuse */
function template(chart: string, release: string, values: object, namespace = "tracing") {
  const { stdout, stderr, status } = runHelm(
    ["template", release, chart, "--namespace", namespace, "--kube-version", "1.34.0", "--values", "-"],
    JSON.stringify(values),
  );
  if (status !== 0) {
    throw new Error(stderr);
  }
  return parseAllDocuments(stdout, { uniqueKeys: true }).map((each) => {
    const [error] = each.errors;
    if (error !== undefined) {
      throw error;
    }
    return documentSchema.parse(each.toJS());
  });
}

type Documents = ReturnType<typeof template>;

const pods = (documents: Documents) =>
  documents.flatMap(({ metadata, spec }) =>
    spec?.template === undefined ? [] : [{ name: metadata.name, ...spec.template }],
  );

const charted = [
  ["tracing", { agent: { namespace: "agents" }, demo: { enabled: true } }],
  ["server", {}],
] as const;

describe.skipIf(withoutHelm !== "").each(charted)(`chart %s${withoutHelm}`, (chart, values) => {
  test.each(["v1.0.0", "123", "true", "my.release", "1e3", `${"long-".repeat(10)}a`])(
    "a release called %s, in the namespace 2024, has names that Services may have, and labels that are texts",
    (release) => {
      const documents = template(chart, release, values, "2024");
      for (const { kind, metadata } of documents) {
        expect(metadata.name, kind).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
        expect(metadata.labels["app.kubernetes.io/instance"]).toBe(release);
      }
      for (const { name, metadata } of pods(documents)) {
        // Pods of a StatefulSet have a label with its name and ten more characters.
        expect(name.length, name).toBeLessThanOrEqual(52);
        expect(metadata.labels["app.kubernetes.io/instance"]).toBe(release);
      }
    },
  );

  test("two releases whose long names begin alike have names of their own", () => {
    const names = (release: string) =>
      template(chart, release, values).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const begin = "a-team-with-a-long-name-and-its-own-environment";
    const blue = new Set(names(`${begin}-b`));
    expect(names(`${begin}-g`).filter((name) => blue.has(name))).toEqual([]);
  });

  test("who names no registry of images is told, others are not", () => {
    const notes = (...args: readonly string[]) =>
      runHelm(["install", "one", chart, "--dry-run=client", ...args]).stdout.split("NOTES:")[1];
    expect(notes()).toMatch(/no registry is named.*\n.*--set image\.registry=/);
    const named = notes("--set", "image.registry=registry.example.com");
    expect(named).toContain("kubectl");
    expect(named).not.toContain("registry");
  });

  test("labels of the user are there once, and pods are still found", () => {
    const own = { "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/version": "7", team: "a" };
    const documents = template(chart, "one", {
      ...values,
      commonLabels: own,
      podLabels: { "app.kubernetes.io/name": "mine", team: "b" },
    });
    for (const { spec, metadata } of documents) {
      expect(metadata.labels).toMatchObject({ "app.kubernetes.io/version": "7", team: "a" });
      if (spec?.template !== undefined) {
        const { matchLabels } = z.object({ matchLabels: labels }).parse(spec.selector);
        expect(spec.template.metadata.labels).toMatchObject({ ...matchLabels, team: "b" });
      }
    }
  });

  test("an account that is made is that of all pods, in each of their namespaces", () => {
    const annotations = { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x" };
    const documents = template(chart, "one", { ...values, serviceAccount: { create: true, annotations } });
    const accounts = documents.filter(({ kind }) => kind === "ServiceAccount");
    const all = accounts.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(accounts.map(({ metadata }) => metadata.annotations)).toEqual(accounts.map(() => annotations));
    for (const { metadata, spec } of documents) {
      if (spec?.template !== undefined) {
        expect(all).toContain(`${metadata.namespace}/${spec.template.spec.serviceAccountName}`);
      }
    }
    const given = pods(template(chart, "one", { ...values, serviceAccount: { name: "theirs" } }));
    expect(new Set(given.map(({ spec }) => spec.serviceAccountName))).toEqual(new Set(["theirs"]));
  });
});

describe.skipIf(withoutHelm !== "")(`chart tracing${withoutHelm}`, () => {
  const processes = ["storage", "collector", "query", "agent", "frontDoor"];
  const forAll = (values: object) => Object.fromEntries(processes.map((name) => [name, values]));

  test("a variable of the user takes the place of the chart's", () => {
    const own = ["CLICKHOUSE_URL", "STORAGE_RETENTION", "REPORTER_GRPC_HOST_PORT", "FRONT_DOOR_NAMES"].map(
      (name) => ({ name, value: "mine" }),
    );
    for (const { name, spec } of pods(template("tracing", "one", forAll({ extraEnv: own })))) {
      const env = spec.containers.flatMap((each) => each.env);
      expect(new Set(env.map((each) => each.name)).size, name).toBe(env.length);
      expect(env).toEqual(expect.arrayContaining(own));
    }
  });

  test("volumes of the user are beside ours", () => {
    const values = {
      extraVolumes: [{ name: "keys", secret: { secretName: "keys" } }],
      extraVolumeMounts: [{ name: "keys", mountPath: "/keys", readOnly: true }],
    };
    const all = pods(template("tracing", "one", forAll(values)));
    expect(all).toHaveLength(processes.length);
    for (const { name, spec } of all) {
      expect(spec.volumes, name).toContainEqual(values.extraVolumes[0]);
      expect(spec.volumes.map((each) => each.name)).toContain("tmp");
      expect(spec.containers[0]?.volumeMounts).toContainEqual(values.extraVolumeMounts[0]);
    }
  });

  test("pods spread as told, and a constraint counts the pods of its process unless it says otherwise", () => {
    const zone = {
      maxSkew: 2,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "DoNotSchedule",
    };
    const chosen = { ...zone, labelSelector: { matchExpressions: [{ key: "team", operator: "Exists" }] } };
    const documents = template("tracing", "one", {
      collector: { topologySpreadConstraints: [zone, chosen] },
      query: { topologySpreadConstraints: [] },
    });
    const spreadOf = (name: string) =>
      pods(documents).find((each) => each.name === name)?.spec.topologySpreadConstraints;
    const matchLabels = {
      "app.kubernetes.io/name": "tracing-collector",
      "app.kubernetes.io/instance": "one",
    };
    expect(spreadOf("one-tracing-collector")).toEqual([{ ...zone, labelSelector: { matchLabels } }, chosen]);
    expect(spreadOf("one-tracing-query")).toEqual([]);
  });

  test("annotations that are no texts are refused before anything is installed", () => {
    expect(() => template("tracing", "one", { podAnnotations: { "prometheus.io/port": 8181 } })).toThrow(
      /podAnnotations.*want string/,
    );
  });
});
