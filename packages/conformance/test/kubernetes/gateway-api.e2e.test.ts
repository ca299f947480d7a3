// The conformance suite of the Gateway API against `server kubernetes`, with a real API server. Each Gateway gets an
// address of this machine to itself, as from a load balancer.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { findPeer } from "../proxy/find-peer.ts";
import { ApiServer, findApiServer } from "./api-server.ts";
import { EchoPods, ownAddress } from "./echo-pods.ts";

const programs = findApiServer();
const echo = findPeer("echo-basic");
const suite = findPeer("gateway-conformance");
const definitions = findPeer("gateway-api-crds");
const address = ownAddress();

/** The Gateways of the suite ask for ports such as 80, on addresses that only Linux has without preparation. */
function opensLowPorts(): boolean {
  const file = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  return (
    process.platform === "linux" && (process.getuid?.() === 0 || Number(readFileSync(file, "utf8")) <= 80)
  );
}

const isThere = [programs, echo, suite, definitions, address].every((one) => one !== undefined);
const pool = Array.from({ length: 60 }, (_, index) => `127.0.2.${index + 1}`);
const controllerName = "admin-server/kubernetes-controller";
const serverProgram = testedProgram(
  fileURLToPath(new URL("../../../admin-server/bin/server.ts", import.meta.url)),
);

/** Tests of the suite that are not passed, each with the reason. */
const known: Readonly<Record<string, string>> = {
  HTTPRouteServiceTypes: "It makes EndpointSlices of the addresses of pods, and no node runs pods.",
};

const profiles = ["GATEWAY-HTTP", "GATEWAY-GRPC", "GATEWAY-TLS"];

describe.skipIf(!isThere || !opensLowPorts())(
  "the conformance suite of the Gateway API (skipped without kube-apiserver, etcd, gateway-conformance in $PEERS, low ports)",
  () => {
    const api = new ApiServer();
    const folder = mkdtempSync(join(tmpdir(), "gateway-api-"));
    let pods: EchoPods | undefined;
    let controller: ChildProcess | undefined;
    let log = "";

    beforeAll(async () => {
      await api.start(programs as NonNullable<typeof programs>);
      for (const file of readdirSync(definitions as string)) {
        await api.applyFile(join(definitions as string, file));
      }
      pods = new EchoPods(api, echo as string, address as string);
      pods.start();
      await api.apply({
        ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayClass", metadata: { name: "server" } },
        spec: { controllerName },
      });
      const [admin = ""] = await freeAddresses(1);
      controller = spawn(
        process.execPath,
        [
          ...[serverProgram, "kubernetes", "--kubeconfig", api.kubeconfig],
          ...["--gateway-addresses", pool.join(","), "--workers", "0"],
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
      await eventually(async () => {
        const { status } = (await api.ask(
          "GET",
          "/apis/gateway.networking.k8s.io/v1/gatewayclasses/server",
        )) as { readonly status?: { readonly supportedFeatures?: readonly unknown[] } };
        expect(status?.supportedFeatures?.length ?? 0).toBeGreaterThan(0);
      }, 90_000);
    }, 240_000);

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

    test("passes but for known tests", async () => {
      const child = spawn(
        suite as string,
        [
          ...["-test.v", "-test.timeout", "20m", "-gateway-class", "server", "-allow-crds-mismatch"],
          ...["-cleanup-base-resources=false", "-conformance-profiles", profiles.join(",")],
          ...["-organization", "o", "-project", "p", "-url", "u", "-version", "v", "-contact", "c"],
        ],
        { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, KUBECONFIG: api.kubeconfig } },
      );
      const ended = once(child, "exit");
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      await ended;
      const results = [...output.matchAll(/^ {4}--- (PASS|FAIL): TestConformance\/(\w+) /gm)];
      const failed = results.filter(([, result]) => result === "FAIL").map(([, , name = ""]) => name);
      expect(results.length, `${output}${errors}`.slice(-2_000)).toBeGreaterThan(0);
      expect(results.length - failed.length, log.slice(-2_000)).toBeGreaterThan(50);
      expect(failed.sort()).toEqual(Object.keys(known).sort());
    }, 1_300_000);
  },
);
