// `server kubernetes` beside a real API server: the manifest's rights, an Ingress, and the suite of the Gateway API.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, expectEqual } from "../../src/expect.ts";
import { findPeer } from "../proxy/find-peer.ts";
import { ApiServer, findApiServer } from "./api-server.ts";
import { EchoPods, ownAddress } from "./echo-pods.ts";

const programs = findApiServer();
const echo = findPeer("echo-basic");
const address = ownAddress();
const skip = programs === undefined || echo === undefined || address === undefined;
const withinMs = 60_000;
const serverProgram = testedProgram(
  fileURLToPath(new URL("../../../admin-server/bin/server.ts", import.meta.url)),
);
const manifest = fileURLToPath(
  new URL("../../../../deploy/kubernetes-controller/controller.yaml", import.meta.url),
);
const labels = { app: "shop" };
const deployment = {
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop", namespace: "default" } },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "shop", image: "example.com/echo-basic:1" }] },
    },
  },
};
const service = {
  ...{ apiVersion: "v1", kind: "Service", metadata: { name: "shop", namespace: "default" } },
  spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 3000 }] },
};
const ingress = {
  ...{
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "shop", namespace: "default" },
  },
  spec: {
    ingressClassName: "server",
    rules: [
      {
        host: "shop.test",
        http: {
          paths: [
            { path: "/", pathType: "Prefix", backend: { service: { name: "shop", port: { name: "http" } } } },
          ],
        },
      },
    ],
  },
};
const ingressPath = "/apis/networking.k8s.io/v1/namespaces/default/ingresses/shop";

describe.skipIf(skip)(
  "a real API server (skipped without kube-apiserver, etcd and echo-basic in $PEERS)",
  () => {
    const api = new ApiServer();
    const folder = mkdtempSync(join(tmpdir(), "kubernetes-controller-"));
    let pods: EchoPods | undefined;
    let controller: ChildProcess | undefined;
    let site = "";
    let log = "";

    beforeAll(async () => {
      if (programs === undefined || echo === undefined || address === undefined) {
        return;
      }
      await api.start(programs);
      pods = new EchoPods(api, echo, address);
      pods.start();
      await api.applyFile(manifest);
      const [admin = "", http = "", https = ""] = await freeAddresses(3);
      site = http;
      const account = api.writeKubeconfigOf(
        "controller",
        await api.tokenOf("server", "kubernetes-controller"),
      );
      const port = (one: string) => one.split(":").at(-1) ?? "";
      controller = spawn(
        process.execPath,
        [
          ...[serverProgram, "kubernetes", "--kubeconfig", account, "--http-port", port(http)],
          ...["--https-port", port(https), "--publish-addresses", "192.0.2.7"],
        ],
        {
          stdio: ["ignore", "ignore", "pipe"],
          env: {
            ...process.env,
            ...{ SERVER_ADMIN: admin, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
          },
        },
      );
      controller.stderr?.on("data", (chunk) => {
        log += String(chunk);
      });
    }, 180_000);

    afterAll(async () => {
      if (controller?.exitCode === null) {
        const ended = once(controller, "exit");
        controller.kill("SIGTERM");
        await ended;
      }
      await pods?.stop();
      await api.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function get(host: string): Promise<string> {
      const asked = request(`http://${site}/`, { headers: { host }, agent: false });
      asked.end();
      const [response] = await once(asked, "response");
      const body = await text(response);
      return response.statusCode === 200
        ? String((JSON.parse(body) as { readonly pod: string }).pod)
        : `${response.statusCode}`;
    }

    test("the rights of the manifest suffice for an Ingress that comes, changes and goes", async () => {
      await api.apply(deployment);
      await api.apply(service);
      await api.apply(ingress);
      await eventually(async () => expectEqual(await get("shop.test"), "shop-of-test", "served"), withinMs);
      await eventually(async () => {
        const { status } = (await api.ask("GET", ingressPath)) as { readonly status: unknown };
        expectEqual(status, { loadBalancer: { ingress: [{ ip: "192.0.2.7" }] } }, "status");
      }, withinMs);
      const rules = [{ ...ingress.spec.rules[0], host: "other.test" }];
      await api.apply({ ...ingress, spec: { ...ingress.spec, rules } });
      await eventually(async () => expectEqual(await get("other.test"), "shop-of-test", "other"), withinMs);
      expect(await get("shop.test")).toBe("404");
      await api.ask("DELETE", ingressPath);
      await eventually(
        () =>
          get("other.test").then(
            () => Promise.reject(new Error("served")),
            () => Promise.resolve(),
          ),
        withinMs,
      );
      expect(log).not.toMatch(/forbidden|cannot/);
    });
  },
);
