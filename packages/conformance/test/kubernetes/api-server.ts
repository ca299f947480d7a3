// A real API server of Kubernetes: etcd and kube-apiserver on free ports, without nodes and without controllers.

import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { createTestAuthority, freeAddresses } from "lifecycle/testing";
import { parseAllDocuments } from "yaml";
import { findPeer } from "../proxy/find-peer.ts";

const token = "token-of-the-test";

/** Milliseconds until the API server is ready. It makes its own roles first. */
const startMs = 120_000;

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/** Programs that a real API server needs; undefined when one is missing. */
export function findApiServer(): { readonly etcd: string; readonly server: string } | undefined {
  const etcd = findPeer("etcd");
  const server = findPeer("kube-apiserver");
  return etcd === undefined || server === undefined ? undefined : { etcd, server };
}

export class ApiServer {
  readonly #children: ChildProcess[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "api-server-"));
  readonly #authority = createTestAuthority("authority of the cluster");
  #address = "";
  /** Paths of collections by `apiVersion kind`, as discovery says. */
  readonly #paths = new Map<string, { readonly path: string; readonly isNamespaced: boolean }>();

  get kubeconfig(): string {
    return join(this.#folder, "kubeconfig");
  }

  async start({ etcd, server }: { readonly etcd: string; readonly server: string }): Promise<void> {
    const [client = "", peer = "", address = ""] = await freeAddresses(3);
    this.#address = address;
    const path = (name: string) => join(this.#folder, name);
    this.#spawn(etcd, [
      ...["--data-dir", path("etcd"), "--unsafe-no-fsync", "--log-level", "error"],
      ...["--listen-client-urls", `http://${client}`, "--advertise-client-urls", `http://${client}`],
      ...["--listen-peer-urls", `http://${peer}`],
    ]);
    const { cert, key } = this.#authority.issue("127.0.0.1");
    const accounts = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    writeFileSync(path("tls.crt"), cert);
    writeFileSync(path("tls.key"), key);
    writeFileSync(path("accounts.key"), accounts.privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(path("tokens"), `${token},test,test,"system:masters"\n`);
    this.#writeKubeconfig();
    this.#spawn(server, [
      ...[`--etcd-servers=http://${client}`, "--bind-address=127.0.0.1"],
      ...[`--secure-port=${address.split(":").at(-1)}`, "--endpoint-reconciler-type=none"],
      ...[`--tls-cert-file=${path("tls.crt")}`, `--tls-private-key-file=${path("tls.key")}`],
      ...[`--token-auth-file=${path("tokens")}`, "--authorization-mode=RBAC"],
      ...["--service-cluster-ip-range=10.96.0.0/16", "--disable-admission-plugins=ServiceAccount"],
      ...[
        "--service-account-issuer=https://cluster.test",
        `--service-account-key-file=${path("accounts.key")}`,
      ],
      `--service-account-signing-key-file=${path("accounts.key")}`,
    ]);
    await this.#untilReady();
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A token of a service account, which has its rights only. */
  async tokenOf(namespace: string, account: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const made = (await this.ask("POST", path, {
      ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    })) as { readonly status: { readonly token: string } };
    return made.status.token;
  }

  /** A kubeconfig with another token. @returns its path */
  writeKubeconfigOf(name: string, bearer: string): string {
    const path = join(this.#folder, name);
    this.#writeKubeconfig(path, bearer);
    return path;
  }

  /** @returns the object in the answer. @throws Error for an answer that is no success */
  async ask(method: string, path: string, body?: object, type = "application/json"): Promise<unknown> {
    const { status, json } = await this.tryAsk(method, path, body, type);
    if (status > 299) {
      throw new Error(`${method} ${path}: ${status}: ${JSON.stringify(json)}`);
    }
    return json;
  }

  async tryAsk(
    method: string,
    path: string,
    body?: object,
    type = "application/json",
  ): Promise<{ readonly status: number; readonly json: unknown }> {
    const options: RequestOptions = {
      ...{ method, ca: this.#authority.cert, agent: false },
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": type }) },
    };
    const asked = request(`https://${this.#address}${path}`, options);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(asked, "response");
    return { status: response.statusCode, json: JSON.parse(await text(response)) as unknown };
  }

  /** Path of an object, or of its collection. */
  async pathOf({ apiVersion, kind, metadata }: KubeObject, isObject = true): Promise<string> {
    const known = this.#paths.get(`${apiVersion} ${kind}`) ?? (await this.#discover(apiVersion, kind));
    const { namespace = "default", name } = metadata;
    const [base, plural] = known.path.split(" ");
    const place = known.isNamespaced ? `/namespaces/${namespace}` : "";
    return `${base}${place}/${plural}${isObject ? `/${name}` : ""}`;
  }

  /** Creates an object, or changes it to what it should be. */
  async apply(object: KubeObject): Promise<void> {
    const { status, json } = await this.tryAsk("POST", await this.pathOf(object, false), object);
    if (status === 409) {
      await this.ask("PATCH", await this.pathOf(object), object, "application/merge-patch+json");
    } else if (status > 299) {
      throw new Error(`${object.kind} ${object.metadata.name}: ${status}: ${JSON.stringify(json)}`);
    }
  }

  /** Applies all objects of a YAML file. */
  async applyFile(path: string): Promise<void> {
    for (const one of parseAllDocuments(readFileSync(path, "utf8"))) {
      const object = one.toJS() as KubeObject | null;
      if (object !== null) {
        await this.apply(object);
      }
    }
  }

  async #discover(apiVersion: string, kind: string) {
    const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { resources } = (await this.ask("GET", base)) as {
      readonly resources: { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
    };
    const found = resources.find((one) => one.kind === kind && !one.name.includes("/"));
    if (found === undefined) {
      throw new Error(`the cluster has no ${apiVersion} ${kind}`);
    }
    const known = { path: `${base} ${found.name}`, isNamespaced: found.namespaced };
    this.#paths.set(`${apiVersion} ${kind}`, known);
    return known;
  }

  #writeKubeconfig(path = this.kubeconfig, bearer = token): void {
    const authority = Buffer.from(this.#authority.cert).toString("base64");
    const cluster = { server: `https://${this.#address}`, "certificate-authority-data": authority };
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
      clusters: [{ name: "test", cluster }],
      users: [{ name: "test", user: { token: bearer } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    };
    writeFileSync(path, JSON.stringify(config));
  }

  #spawn(program: string, args: readonly string[]): void {
    this.#children.push(spawn(program, args, { stdio: ["ignore", "ignore", "ignore"] }));
  }

  async #untilReady(): Promise<void> {
    const until = performance.now() + startMs;
    for (;;) {
      const ready = await this.tryAsk("GET", "/readyz").catch((error: unknown) => error);
      const isReady = await this.tryAsk("GET", "/api/v1/namespaces/default").then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isReady) {
        return;
      }
      if (performance.now() > until || this.#children.some(({ exitCode }) => exitCode !== null)) {
        throw new Error(`the API server is not ready: ${String(ready)}`);
      }
      await pause(200);
    }
  }
}
