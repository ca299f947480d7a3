// The list, watch and patch of an API server, for tests on machines without kube-apiserver. It is as strict as the real
// one about versions: an old resourceVersion gets 410, a patch of an old one 409, an unknown collection 404.
// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ClusterAccess } from "../cluster/cluster-access.ts";
import type { KubeObject } from "../cluster/kube-object.ts";

type Stored = KubeObject & { [member: string]: unknown };

interface Event {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly version: number;
  readonly object: Stored;
}

interface Watch {
  readonly collection: string;
  readonly response: ServerResponse;
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[name];
    } else {
      merged[name] = merge(merged[name], value);
    }
  }
  return merged;
}

export class SampleApiServer {
  /** Objects by collection, then by `namespace/name`. */
  readonly #collections = new Map<string, Map<string, Stored>>();
  readonly #history: Event[] = [];
  readonly #watches = new Set<Watch>();
  #version = 100;
  /** Versions up to this one are gone. */
  #compacted = 0;
  #server: Server | undefined;
  #port = 0;
  /** Requests so far, as `METHOD path`. */
  readonly asked: string[] = [];
  /** The next answers of these statuses come first. */
  readonly failures: number[] = [];

  /** @param collections paths that are known, such as `/api/v1/services` */
  constructor(collections: readonly string[]) {
    for (const path of collections) {
      this.#collections.set(path, new Map());
    }
  }

  get access(): ClusterAccess {
    return {
      server: `http://127.0.0.1:${this.#port}`,
      skipsVerification: false,
      token: async () => "a-token",
    };
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    }
  }

  install(collection: string): void {
    this.#collections.set(collection, new Map());
  }

  /** Creates or replaces an object; its generation grows with its spec. */
  apply(collection: string, object: KubeObject & { readonly [member: string]: unknown }): Stored {
    const objects = this.#objects(collection);
    const key = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
    const before = objects.get(key);
    const stored = { ...before, ...object } as Stored;
    const { metadata } = before ?? { metadata: undefined };
    return this.#store(collection, before === undefined ? "ADDED" : "MODIFIED", {
      ...stored,
      metadata: {
        creationTimestamp:
          metadata?.creationTimestamp ?? `2026-01-01T00:00:${String(objects.size).padStart(2, "0")}Z`,
        uid: metadata?.uid ?? `uid-${this.#version}`,
        ...object.metadata,
        generation: (metadata?.generation ?? 0) + 1,
      },
    });
  }

  delete(collection: string, key: string): void {
    const objects = this.#objects(collection);
    const known = objects.get(key);
    if (known !== undefined) {
      objects.delete(key);
      this.#store(collection, "DELETED", known);
    }
  }

  get(collection: string, key: string): Stored | undefined {
    return this.#objects(collection).get(key);
  }

  all(collection: string): Stored[] {
    return [...this.#objects(collection).values()];
  }

  /** Forgets all earlier versions, and ends all watches, as after a compaction of etcd. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history.length = 0;
    this.endWatches();
  }

  endWatches(): void {
    for (const { response } of this.#watches) {
      response.destroy();
    }
    this.#watches.clear();
  }

  /** Tells watchers that nothing happened up to now, and raises the version. */
  bookmark(): void {
    this.#version++;
    for (const { response, collection } of this.#watches) {
      const object = { kind: collection, metadata: { resourceVersion: `${this.#version}` } };
      response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
    }
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  #objects(collection: string): Map<string, Stored> {
    const objects = this.#collections.get(collection);
    if (objects === undefined) {
      throw new Error(`unknown collection ${collection}`);
    }
    return objects;
  }

  #store(collection: string, type: Event["type"], object: Stored): Stored {
    this.#version++;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } };
    if (type !== "DELETED") {
      this.#objects(collection).set(`${stored.metadata.namespace ?? ""}/${stored.metadata.name}`, stored);
    }
    const event = { type, collection, version: this.#version, object: stored };
    this.#history.push(event);
    for (const watch of this.#watches) {
      if (watch.collection === collection) {
        watch.response.write(`${JSON.stringify({ type, object: stored })}\n`);
      }
    }
    return stored;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://api");
    this.asked.push(`${request.method} ${url.pathname}`);
    const fail = (code: number, message: string) => {
      response.writeHead(code, { "content-type": "application/json" });
      response.end(JSON.stringify({ kind: "Status", status: "Failure", code, message }));
    };
    const failure = this.failures.shift();
    if (failure !== undefined) {
      return fail(failure, "as the test wants");
    }
    if (request.headers.authorization !== "Bearer a-token") {
      return fail(401, "Unauthorized");
    }
    if (request.method !== "GET") {
      return this.#change(request, url.pathname, response, fail);
    }
    if (!this.#collections.has(url.pathname)) {
      return fail(404, "the server could not find the requested resource");
    }
    if (url.searchParams.get("watch") === "true") {
      return this.#watch(url, response);
    }
    this.#list(url, response, fail);
  }

  #list(url: URL, response: ServerResponse, fail: (code: number, message: string) => void): void {
    const all = [...this.#objects(url.pathname).values()];
    const [version, start] = (url.searchParams.get("continue") ?? `${this.#version}:0`)
      .split(":")
      .map(Number);
    if ((version ?? 0) < this.#compacted) {
      fail(410, "The provided continue parameter is too old");
      return;
    }
    const limit = Math.min(Number(url.searchParams.get("limit") ?? all.length), 3);
    const end = (start ?? 0) + limit;
    const metadata = {
      resourceVersion: `${version}`,
      ...(end < all.length ? { continue: `${version}:${end}` } : {}),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "List", metadata, items: all.slice(start, end) }));
  }

  #watch(url: URL, response: ServerResponse): void {
    const version = Number(url.searchParams.get("resourceVersion"));
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (version < this.#compacted) {
      const object = { kind: "Status", code: 410, message: "too old resource version", reason: "Expired" };
      response.end(`${JSON.stringify({ type: "ERROR", object })}\n`);
      return;
    }
    for (const event of this.#history) {
      if (event.collection === url.pathname && event.version > version) {
        response.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
      }
    }
    const watch = { collection: url.pathname, response };
    this.#watches.add(watch);
    response.on("close", () => this.#watches.delete(watch));
  }

  async #change(
    request: IncomingMessage,
    path: string,
    response: ServerResponse,
    fail: (code: number, message: string) => void,
  ): Promise<void> {
    const body = JSON.parse(await text(request)) as Stored;
    const [, base = "", namespace = "", plural = "", name = "", sub = ""] =
      /^(.*?)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(\/status)?)?$/.exec(
        path.replace(/(\/status)$/, "$1"),
      ) ?? [];
    const collection = `${base}/${plural}`;
    if (request.method === "POST") {
      if (!this.#collections.has(`${base}/${name === "" ? plural : name}`)) {
        return fail(404, "not found");
      }
      const created = this.apply(`${base}/${plural}`, body);
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(created));
      return;
    }
    const known = this.#collections.get(collection)?.get(`${namespace}/${name}`);
    if (known === undefined || sub === "") {
      return fail(404, `not found: ${path}`);
    }
    if (request.headers["content-type"] !== "application/merge-patch+json") {
      return fail(415, "the body of the request was in an unknown format");
    }
    const wanted = body.metadata?.resourceVersion;
    if (wanted !== undefined && wanted !== known.metadata.resourceVersion) {
      return fail(409, "the object has been modified; please apply your changes to the latest version");
    }
    const status = merge(known.status, body.status);
    const stored = this.#store(collection, "MODIFIED", { ...known, status });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(stored));
  }
}
