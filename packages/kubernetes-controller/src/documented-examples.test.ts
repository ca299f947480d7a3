// docs/kubernetes-controller.md and deploy/kubernetes-controller: the examples are served, the rights suffice.

import { readFileSync } from "node:fs";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "./cluster/kube-object.ts";
import { watchedKinds } from "./cluster/watched-kinds.ts";
import { SampleCluster } from "./testing/sample-cluster.ts";

type Manifest = KubeObject & { readonly kind: string; readonly [member: string]: unknown };

const waits = { timeout: 60_000, interval: 20 };
const root = new URL("../../../", import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8");
const manifestsIn = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as Manifest);

const installed = manifestsIn(textOf("deploy/kubernetes-controller/controller.yaml"));
const page = textOf("docs/kubernetes-controller.md");
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text = ""]) => manifestsIn(text));

let cluster: SampleCluster;
beforeAll(async () => {
  cluster = await SampleCluster.start();
});
afterAll(() => cluster.close());

/** Puts examples into the cluster: in the namespace `default`, and the Gateway on a free port. */
function apply(manifests: readonly Manifest[]): void {
  const paths = new Map(watchedKinds([]).map(({ kind, paths }) => [kind, paths.at(-1) ?? ""]));
  for (const manifest of manifests) {
    const collection = paths.get(manifest.kind);
    if (
      collection === undefined ||
      manifest.kind === "Namespace" ||
      manifest.metadata.namespace === "server"
    ) {
      continue;
    }
    const text = JSON.stringify(manifest);
    const isGateway = manifest.kind === "Gateway";
    const changed = isGateway ? text.replace('"port":80', `"port":${cluster.ports.http}`) : text;
    const namespace = collection.endsWith("classes") ? "" : "default";
    cluster.api.apply(collection, {
      ...(JSON.parse(changed) as Manifest),
      metadata: { namespace, ...manifest.metadata },
    });
  }
}

test("the page's examples are served", async () => {
  apply([...installed, ...examples]);
  for (const name of ["shop-api", "shop-api-next"]) {
    await cluster.openBackend(name);
  }
  await cluster.openBackend("shop", "http");
  cluster.secret("shop-tls", "shop", "shop.example.com");
  const [other = ""] = await freeAddresses(1);
  const http = Number(other.split(":").at(-1));
  cluster.follow({
    controllerName: "admin-server/kubernetes-controller",
    ingressPorts: { http, https: cluster.ports.https },
  });
  const { api } = cluster;
  await vi.waitFor(async () => expect(await cluster.secureGet("shop.example.com")).toBe("200 shop"), waits);
  const plain = "200 shop shop.example.com /x";
  await vi.waitFor(async () => expect(await cluster.get("shop.example.com", "/x")).toBe(plain), waits);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => cluster.get("shop.example.com", "/api/y")),
  );
  expect(answers.filter((text) => text === "200 shop-api shop.example.com /y").length).toBe(18);
  expect(answers.filter((text) => text === "200 shop-api-next shop.example.com /y").length).toBe(2);
  await vi.waitFor(() => expect(api.asked.some((asked) => asked.startsWith("PATCH"))).toBe(true), waits);
});

test("the manifest gives the rights that are used", () => {
  const { rules = [] } = installed.find(({ kind }) => kind === "ClusterRole") as never as {
    readonly rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  };
  const pattern = /^(\w+) \/(?:api|apis\/([^/]+))\/\w+(?:\/namespaces\/[^/]+)?\/(\w+)(?:\/[^/]+(\/status))?$/;
  const verbs: Readonly<Record<string, string>> = { GET: "watch", PATCH: "patch", POST: "create" };
  const isAllowed = (asked: string) => {
    const [, method = "", group = "", resource = "", sub = ""] = pattern.exec(asked) ?? [];
    return rules.some(
      (one) =>
        one.apiGroups.includes(group) &&
        one.resources.includes(`${resource}${sub}`) &&
        one.verbs.includes(verbs[method] ?? ""),
    );
  };
  const asked = [...new Set(cluster.api.asked)];
  expect(asked.length).toBeGreaterThan(12);
  expect(asked.filter((one) => !isAllowed(one))).toEqual([]);
});
