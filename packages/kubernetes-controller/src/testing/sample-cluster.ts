// A cluster, a server and the controller between them, in this process.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { createLogger } from "lifecycle";
import { createTestAuthority, freeAddresses, type TestCertificate } from "lifecycle/testing";
import { ask } from "server-core/testing/ask";
import { vi } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";
import { watchedKinds } from "../cluster/watched-kinds.ts";
import { ClusterFollower, type FollowSettings } from "../follow-cluster.ts";
import type { AskAdmin } from "../target/admin-target.ts";
import { SampleApiServer } from "./sample-api-server.ts";

export const controllerName = "test/controller";

/** Paths of collections. */
export const collections = {
  service: "/api/v1/services",
  slice: "/apis/discovery.k8s.io/v1/endpointslices",
  secret: "/api/v1/secrets",
  event: "/api/v1/events",
  ingress: "/apis/networking.k8s.io/v1/ingresses",
  ingressClass: "/apis/networking.k8s.io/v1/ingressclasses",
  gatewayClass: "/apis/gateway.networking.k8s.io/v1/gatewayclasses",
  gateway: "/apis/gateway.networking.k8s.io/v1/gateways",
  httpRoute: "/apis/gateway.networking.k8s.io/v1/httproutes",
  tlsRoute: "/apis/gateway.networking.k8s.io/v1alpha2/tlsroutes",
} as const;

export class SampleCluster {
  readonly api: SampleApiServer;
  readonly server: RunningServer;
  readonly ports: { readonly http: number; readonly https: number };
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(api: SampleApiServer, server: RunningServer, ports: readonly number[]) {
    const [http = 0, https = 0] = ports;
    this.api = api;
    this.server = server;
    this.ports = { http, https };
  }

  /** @param isBare true: without the Gateway API */
  static async start(isBare = false): Promise<SampleCluster> {
    const kinds = watchedKinds([]).filter(({ isOptional }) => !isBare || isOptional !== true);
    const api = new SampleApiServer([...kinds.map(({ paths }) => paths.at(-1) ?? ""), collections.event]);
    await api.start();
    const server = await RunningServer.start({
      apps: { http: { servers: { mine: { listen: ["127.0.0.1:0"] } } } },
    });
    const ports = (await freeAddresses(2)).map((address) => Number(address.split(":").at(-1)));
    return new SampleCluster(api, server, ports);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) {
      await close();
    }
    await this.server.close();
    await this.api.stop();
  }

  /** Asks the admin API of the server. */
  readonly ask: AskAdmin = async (method, path, body, ifMatch) => {
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
    };
    const answer = await this.server.admin(method, path, body, headers);
    return { status: answer.status, etag: String(answer.headers.etag ?? ""), body: answer.text };
  };

  /** Starts the controller. @returns a function that returns its warnings so far */
  follow(changes: Partial<FollowSettings> = {}): () => string[] {
    const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
    const warnings = vi.spyOn(log, "warn").mockReturnValue();
    const follower = new ClusterFollower({
      ...{ access: this.api.access, ask: this.ask, controllerName, namespaces: [], ingressPorts: this.ports },
      ...{ gatewayAddresses: [], publishAddresses: ["192.0.2.1"], publishService: "" },
      ...{ throttleMs: 5, resyncMs: 50, retryMs: 10, log },
      ...changes,
    });
    follower.start();
    this.#closers.push(() => follower.stop());
    return () => warnings.mock.calls.map((call) => String(call[0]));
  }

  /** A server that answers with its name and the request; its Service and EndpointSlice are in the cluster. */
  async openBackend(name: string, portName = "web", tls?: TestCertificate): Promise<void> {
    const answer: RequestListener = (request, response) =>
      void response.end(`${name} ${request.headers.host} ${request.url}`);
    const backend = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    backend.listen(0, "127.0.0.1");
    await once(backend, "listening");
    this.#closers.push(async () => {
      backend.closeAllConnections();
      backend.close();
    });
    const { port } = backend.address() as AddressInfo;
    const namespace = "default";
    this.api.apply(collections.service, {
      metadata: { name, namespace },
      spec: { ports: [{ name: portName, port: 80 }] },
    });
    this.api.apply(collections.slice, {
      metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
      ports: [{ name: portName, port }],
    });
  }

  /** Stores a certificate with this common name as a Secret. */
  secret(name: string, commonName: string, host: string): void {
    const { cert, key } = createTestAuthority().issue(commonName, host);
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    this.api.apply(collections.secret, {
      metadata: { name, namespace: "default" },
      ...{ type: "kubernetes.io/tls", data: { "tls.crt": base64(cert), "tls.key": base64(key) } },
    });
  }

  ingressClass(): void {
    this.api.apply(collections.ingressClass, {
      ...{ metadata: { name: "ours" }, spec: { controller: controllerName } },
    });
  }

  ingress(name: string, spec: object, annotations = {}): void {
    this.api.apply(collections.ingress, {
      ...{
        metadata: { name, namespace: "default", annotations },
        spec: { ingressClassName: "ours", ...spec },
      },
    });
  }

  /** A Gateway `gw` with its class. */
  gateway(...listeners: object[]): void {
    this.api.apply(collections.gatewayClass, { metadata: { name: "ours" }, spec: { controllerName } });
    this.api.apply(collections.gateway, {
      ...{ metadata: { name: "gw", namespace: "default" }, spec: { gatewayClassName: "ours", listeners } },
    });
  }

  /** An HTTPRoute of that Gateway. */
  httpRoute(name: string, spec: object): void {
    this.api.apply(collections.httpRoute, {
      ...{ metadata: { name, namespace: "default" }, spec: { parentRefs: [{ name: "gw" }], ...spec } },
    });
  }

  /** Status and text of an answer over plain HTTP; "closed" when nobody listens. */
  async get(host: string, path = "/"): Promise<string> {
    const url = `http://127.0.0.1:${this.ports.http}${path}`;
    const answer = await ask(url, { headers: { Host: host } }).catch(() => undefined);
    return answer === undefined ? "closed" : `${answer.status} ${answer.text}`.trim();
  }

  /** Status of an answer over TLS, and the common name in the certificate; "closed" without one. */
  secureGet(name: string): Promise<string> {
    const options = { host: "127.0.0.1", port: this.ports.https, servername: name, headers: { host: name } };
    return new Promise((resolve) => {
      const asked = request({ ...options, rejectUnauthorized: false, agent: false }, (response) => {
        const { subject } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume();
        response.on("end", () => resolve(`${response.statusCode} ${subject.CN}`));
      });
      asked.on("error", () => resolve("closed"));
      asked.end();
    });
  }
}
