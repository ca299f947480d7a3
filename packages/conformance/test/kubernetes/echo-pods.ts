// Stands in for nodes and their controllers: each Deployment of echo servers is one process on this machine, and each
// Service has an EndpointSlice with its address.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freeAddresses } from "lifecycle/testing";
import type { ApiServer, KubeObject } from "./api-server.ts";

/** Ports that the containers' images listen on, by the variable that moves them. */
const portVariables: Readonly<Record<string, string>> = {
  "3000": "HTTP_PORT",
  "3001": "H2C_PORT",
  "8443": "HTTPS_PORT",
};

/** Milliseconds between two looks at the cluster. */
const everyMs = 300;

interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image: string;
          readonly env?: readonly { readonly name: string; readonly value?: string }[];
        }[];
        readonly volumes?: readonly { readonly secret?: { readonly secretName: string } }[];
      };
    };
  };
}

interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: { readonly app?: string };
    readonly ports?: readonly {
      readonly name?: string;
      readonly protocol?: string;
      readonly port: number;
      readonly targetPort?: number | string;
    }[];
  };
}

/** An address of this machine that is no loopback address, because the API server refuses those in slices. */
export function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all.find(({ internal, family }) => !internal && family === "IPv4")?.address;
}

export class EchoPods {
  readonly #api: ApiServer;
  readonly #program: string;
  readonly #address: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "echo-pods-"));
  readonly #children: ChildProcess[] = [];
  /** Ports of each Deployment by the port of its container, by `namespace/name`. */
  readonly #ports = new Map<string, Readonly<Record<string, number>>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(api: ApiServer, program: string, address: string) {
    this.#api = api;
    this.#program = program;
    this.#address = address;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const child of this.#children) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // A namespace that ends while it is looked at is no fault.
      await this.#look().catch(() => {});
      await pause(everyMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const items = async <T>(path: string) =>
      ((await this.#api.ask("GET", path)) as { readonly items: T[] }).items;
    for (const deployment of await items<Deployment>("/apis/apps/v1/deployments")) {
      const key = `${deployment.metadata.namespace}/${deployment.metadata.name}`;
      const [container] = deployment.spec.template.spec.containers;
      if (!this.#ports.has(key) && container?.image.includes("/echo-basic:") === true) {
        // Its Secret may come later.
        const ports = await this.#open(deployment).catch(() => undefined);
        if (ports !== undefined) {
          this.#ports.set(key, ports);
        }
      }
    }
    for (const service of await items<Service>("/api/v1/services")) {
      const { namespace, name } = service.metadata;
      const ports = this.#ports.get(`${namespace}/${service.spec.selector?.app}`);
      if (ports !== undefined) {
        await this.#publish(service, ports, `${name}-echo`);
      }
    }
  }

  async #open({ metadata, spec }: Deployment): Promise<Record<string, number>> {
    const { namespace = "", name } = metadata;
    const { containers, volumes = [] } = spec.template.spec;
    const given = (containers[0]?.env ?? []).flatMap((one) =>
      one.value === undefined ? [] : [[one.name, one.value]],
    );
    const free = (await freeAddresses(3)).map((address) => Number(address.split(":").at(-1)));
    const ports = Object.fromEntries(
      Object.keys(portVariables).map((port, index) => [port, free[index] ?? 0]),
    );
    const secretName = volumes.find(({ secret }) => secret !== undefined)?.secret?.secretName;
    const tls = secretName === undefined ? {} : await this.#files(namespace, secretName);
    // A pod's name has two more words than its Deployment's: the suite counts them.
    this.#children.push(
      spawn(this.#program, [], {
        stdio: "ignore",
        env: {
          ...Object.fromEntries(given),
          ...{ POD_NAME: `${name}-of-test`, NAMESPACE: namespace },
          ...Object.fromEntries(
            Object.entries(portVariables).map(([port, variable]) => [variable, `${ports[port]}`]),
          ),
          ...tls,
        },
      }),
    );
    return ports;
  }

  /** The certificate of a Secret as files. */
  async #files(namespace: string, name: string): Promise<Record<string, string>> {
    const { data } = (await this.#api.ask("GET", `/api/v1/namespaces/${namespace}/secrets/${name}`)) as {
      readonly data: Readonly<Record<string, string>>;
    };
    const write = (key: string) => {
      const path = join(this.#folder, `${namespace}-${name}-${key}`);
      writeFileSync(path, Buffer.from(data[key] ?? "", "base64"));
      return path;
    };
    return { TLS_SERVER_CERT: write("tls.crt"), TLS_SERVER_PRIVKEY: write("tls.key") };
  }

  async #publish(
    { metadata, spec }: Service,
    ports: Readonly<Record<string, number>>,
    name: string,
  ): Promise<void> {
    const slice = {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: {
        ...{ name, namespace: metadata.namespace ?? "" },
        labels: { "kubernetes.io/service-name": metadata.name },
      },
      endpoints: [{ addresses: [this.#address], conditions: { ready: true } }],
      ports: (spec.ports ?? []).map((port) => ({
        ...{ name: port.name ?? "", protocol: port.protocol ?? "TCP" },
        port: ports[String(port.targetPort ?? port.port)],
      })),
    };
    const collection = await this.#api.pathOf(slice, false);
    await this.#api.tryAsk("POST", collection, slice);
  }
}
