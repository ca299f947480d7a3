// deploy/kubernetes, and the output of the charts in deploy/helm: checked with the schemas of Kubernetes' API, and
// compared with the processes. The test uses no cluster.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testedProgram } from "lifecycle/testing";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { KubernetesSchema } from "./kubernetes-schema.ts";
import {
  kubernetesFolder,
  programOf,
  readManifests,
  readRendered,
  type Workload,
  workload,
} from "./manifests.ts";
import { dockerStage, environmentOf, processNames } from "./process-facts.ts";

const schema = new KubernetesSchema();
const manifests = readManifests();
const base = manifests.filter(({ file }) => !file.startsWith("examples/"));
const serverfile = readFileSync(join(kubernetesFolder, "Serverfile"), "utf8");

function ofKind<T extends z.ZodType>(kind: string, type: T): z.infer<T>[] {
  return base.filter(({ value }) => value.kind === kind).map(({ value }) => type.parse(value));
}

const workloadKinds = ["Deployment", "StatefulSet", "DaemonSet"];
const charts = readRendered();
const workloads = [...manifests, ...charts]
  .filter(({ value }) => workloadKinds.includes(String(value.kind)))
  .map(({ file, value }) => ({ file, ...workload.parse(value) }));
const baseWorkloads = workloads.filter(({ file }) => !/^(examples\/|chart )/.test(file));

/** Workloads of a namespace that a selector matches. */
function selected(namespace: string, labels: Readonly<Record<string, string>>): Workload[] {
  return baseWorkloads.filter(
    ({ metadata, spec }) =>
      metadata.namespace === namespace &&
      Object.entries(labels).every(([key, value]) => spec.template.metadata.labels[key] === value),
  );
}

function portNames(items: readonly Workload[]): string[] {
  return items.flatMap(({ spec }) =>
    spec.template.spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name)),
  );
}

describe("The schemas", () => {
  test.each([...manifests, ...charts].map(({ file, value }) => [`${file}: ${value.kind}`, value] as const))(
    "%s",
    (_name, value) => {
      expect(schema.faults(value)).toEqual([]);
    },
  );

  test("see a field that is not there, a wrong type, and what is missing", () => {
    const service: object = {
      apiVersion: "v1",
      kind: "Service",
      spec: { ports: [{ prot: 1, port: "x" }], typ: "None" },
    };
    expect(schema.faults(service)).toEqual([
      "/spec: must NOT have additional properties (typ)",
      "/spec/ports/0: must NOT have additional properties (prot)",
      "/spec/ports/0/port: must be integer",
    ]);
    const deployment: object = { apiVersion: "apps/v1", kind: "Deployment", spec: {} };
    expect(schema.faults(deployment)).toContain("/spec: must have required property 'selector'");
    expect(schema.faults({ apiVersion: "v2", kind: "Pod" })).toEqual(["v2 Pod: not a kind that is checked"]);
  });
});

describe.each(workloads.map((item) => [`${item.file}: ${item.kind}`, item] as const))("%s", (_name, item) => {
  const { template, selector, volumeClaimTemplates } = item.spec;
  const { initContainers, containers, volumes } = template.spec;

  test("selects its own pods", () => {
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  });

  test.each([...initContainers, ...containers])(
    "$name may write nowhere but to its volumes, and has no rights",
    (one) => {
      expect(one.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const there = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(
        ({ name }) => name,
      );
      expect(there).toEqual(expect.arrayContaining(one.volumeMounts.map(({ name }) => name)));
      const hasData = dockerStage(programOf(one.image)).includes("=/data");
      expect(one.volumeMounts.some(({ mountPath }) => mountPath === "/data")).toBe(hasData);
    },
  );

  test.each([...initContainers, ...containers])(
    "$name: its program has every variable and port that is named",
    (one) => {
      const program = programOf(one.image);
      const known = environmentOf(program);
      for (const { name } of one.env) {
        const isInServerfile = program === "admin-server" && serverfile.includes(`{$${name}:`);
        expect(known(name) || isInServerfile, name).toBe(true);
      }
      const stage = dockerStage(program);
      const exposed = /EXPOSE (.+)/.exec(stage)?.[1]?.split(" ") ?? [];
      for (const { containerPort, protocol, hostPort } of one.ports) {
        const asExposed = protocol === "UDP" ? `${containerPort}/udp` : `${containerPort}`;
        const isThere =
          exposed.includes(asExposed) ||
          serverfile.match(new RegExp(`:${containerPort} {|_port ${containerPort}$`, "m")) !== null;
        expect(isThere, asExposed).toBe(true);
        expect(hostPort === undefined || hostPort === containerPort).toBe(true);
      }
      const probes = [one.readinessProbe, one.livenessProbe, one.startupProbe].filter(
        (probe) => probe !== undefined,
      );
      expect(probes.length > 0 || program === "example-shop").toBe(true);
      for (const { httpGet, tcpSocket } of probes) {
        const port = httpGet?.port ?? tcpSocket?.port;
        const ports = one.ports.filter(({ name }) => name === port);
        expect(ports.length === 1 || typeof port === "number").toBe(true);
      }
    },
    60_000, // the first test of each image runs its program
  );

  test("a probe of life does not ask for the store: a restart would not bring it back", () => {
    for (const { livenessProbe } of containers) {
      expect(livenessProbe?.httpGet?.path ?? "/version").not.toBe("/");
    }
  });
});

test("Each process has a workload in the base", () => {
  expect(baseWorkloads.map(({ metadata }) => metadata.name).sort()).toEqual([...processNames].sort());
});

test("Services lead to ports of pods that are there", () => {
  const service = z.object({
    metadata: z.object({ name: z.string(), namespace: z.string() }),
    spec: z.object({
      selector: z.record(z.string(), z.string()),
      ports: z.array(z.object({ targetPort: z.string() })),
    }),
  });
  const services = ofKind("Service", service);
  for (const { metadata, spec } of services) {
    expect(portNames(selected(metadata.namespace, spec.selector)), metadata.name).toEqual(
      expect.arrayContaining(spec.ports.map(({ targetPort }) => targetPort)),
    );
  }
  const names = services.map(({ metadata }) => metadata.name);
  const ofManifests = workloads.filter(({ file }) => !file.startsWith("chart "));
  for (const { spec } of ofManifests) {
    expect([undefined, ...names]).toContain(spec.serviceName);
  }
  // Names of services in the addresses of other services.
  const addresses = ofManifests.flatMap(({ spec }) =>
    [...spec.template.spec.initContainers, ...spec.template.spec.containers].flatMap(({ env }) =>
      env.map(({ value }) => value),
    ),
  );
  const named = [...addresses, serverfile].flatMap(
    (text) => text.match(/\b(?:tracing|admin)-[a-z-]+/g) ?? [],
  );
  expect(names).toEqual(expect.arrayContaining(named));
});

test("Autoscaling, disruption budgets and network policies are about pods and ports that are there", () => {
  const autoscaler = z.object({
    spec: z.object({ scaleTargetRef: z.object({ kind: z.string(), name: z.string() }) }),
  });
  for (const { spec } of ofKind("HorizontalPodAutoscaler", autoscaler)) {
    expect(baseWorkloads.map(({ kind, metadata }) => ({ kind, name: metadata.name }))).toContainEqual(
      expect.objectContaining({ kind: spec.scaleTargetRef.kind, name: spec.scaleTargetRef.name }),
    );
  }
  const labels = z.record(z.string(), z.string());
  const budget = z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) });
  for (const { spec } of ofKind("PodDisruptionBudget", budget)) {
    expect(selected("tracing", spec.selector.matchLabels)).toHaveLength(1);
  }
  const peer = z.object({
    podSelector: z.object({ matchLabels: labels.default({}) }).optional(),
    namespaceSelector: z.object({ matchLabels: labels.default({}) }).optional(),
  });
  const ports = z.array(z.object({ port: z.union([z.string(), z.number()]) })).default([]);
  const policy = z.object({
    metadata: z.object({ name: z.string(), namespace: z.string() }),
    spec: z.object({
      podSelector: z.object({ matchLabels: labels.default({}) }),
      ingress: z.array(z.object({ from: z.array(peer).default([]), ports })).default([]),
      egress: z.array(z.object({ to: z.array(peer).default([]), ports })).default([]),
    }),
  });
  for (const { metadata, spec } of ofKind("NetworkPolicy", policy)) {
    const own = selected(metadata.namespace, spec.podSelector.matchLabels);
    expect(own.length, metadata.name).toBeGreaterThan(0);
    const named = (list: z.infer<typeof ports>) =>
      list.map(({ port }) => port).filter((port) => typeof port === "string");
    expect(portNames(own), metadata.name).toEqual(
      expect.arrayContaining(spec.ingress.flatMap((rule) => named(rule.ports))),
    );
    for (const { to, ports } of spec.egress) {
      const namespace =
        to[0]?.namespaceSelector?.matchLabels["kubernetes.io/metadata.name"] ?? metadata.namespace;
      const others = to.flatMap(({ podSelector }) => selected(namespace, podSelector?.matchLabels ?? {}));
      expect(portNames(others), metadata.name).toEqual(expect.arrayContaining(named(ports)));
    }
  }
});

test("The kustomization names every file, image and configuration of the base", () => {
  const kustomization = z
    .object({
      resources: z.array(z.string()),
      images: z.array(z.object({ name: z.string() })),
      configMapGenerator: z.array(z.object({ name: z.string(), files: z.array(z.string()) })),
    })
    .parse(parse(readFileSync(join(kubernetesFolder, "kustomization.yaml"), "utf8")));
  expect(kustomization.resources.toSorted()).toEqual([...new Set(base.map(({ file }) => file))].sort());
  const pods = baseWorkloads.map(({ spec }) => spec.template.spec);
  const images = pods.flatMap(({ containers }) => containers.map(({ image }) => image));
  expect(kustomization.images.map(({ name }) => name).sort()).toEqual(images.sort());
  const used = pods.flatMap(({ volumes }) => volumes.flatMap(({ configMap }) => configMap?.name ?? []));
  expect(kustomization.configMapGenerator.map(({ name }) => name)).toEqual(used);
  for (const file of kustomization.configMapGenerator.flatMap(({ files }) => files)) {
    expect(existsSync(join(kubernetesFolder, file)), file).toBe(true);
  }
});

test("The front door's configuration is one, and its options are those of the server", () => {
  const program = testedProgram(join(kubernetesFolder, "../../packages/admin-server/bin/server.ts"));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], { encoding: "utf8", timeout: 180_000 });
  expect(run("validate", "--config", join(kubernetesFolder, "Serverfile"))).toContain("Valid configuration");
  const [door] = baseWorkloads.filter(({ metadata }) => metadata.name === "admin-server");
  const options = door?.spec.template.spec.containers[0]?.args.filter((arg) => arg.startsWith("--")) ?? [];
  const help = run("run", "--help");
  for (const option of options) {
    expect(help).toContain(option);
  }
});
