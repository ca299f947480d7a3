// Follows all objects of a kind: first the whole list, then its changes.
//
// | The API server | What follows |
// |---|---|
// | ends a watch, or the connection breaks | a watch from the last resourceVersion |
// | answers 410, or sends ERROR with 410 | the list again: the version is no longer there |
// | answers 404 to the list of an optional kind | the kind is not installed: the list is requested again every 30 s |
// | answers another error | tried again, later each time |

import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { type KubeClient, KubeError } from "./kube-client.ts";
import { type KubeObject, keyOf } from "./kube-object.ts";

export interface WatchedKind {
  readonly kind: string;
  /** Paths of the collection, such as `/apis/networking.k8s.io/v1/ingresses`, by preference: one for each version. */
  readonly paths: readonly string[];
  /** Query that chooses objects, such as `fieldSelector=type%3Dkubernetes.io%2Ftls`. */
  readonly selector?: string;
  /** True: a cluster without this kind is normal. */
  readonly isOptional?: boolean;
}

export interface WatcherSettings {
  readonly client: KubeClient;
  readonly kind: WatchedKind;
  /** Called after each change of an object. */
  readonly onChange: () => void;
  readonly log: Logger;
  /** Maximum number of objects; more are an error, and the objects stay as they are. */
  readonly maxObjects?: number;
  /** Start value of the pause after failures, in milliseconds. Each failure doubles the pause. */
  readonly retryMs?: number;
}

const pageSize = 500;
const defaultMaxObjects = 100_000;
const mostRetryMs = 30_000;
/** Seconds of one watch. The spread keeps the watches of all kinds from ending together. */
const watchSeconds = () => 240 + Math.floor(Math.random() * 120);

interface ListPage {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[];
}

/** Removes `managedFields`, which are long and not used. */
function slim(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  return { ...object, metadata };
}

/** All objects of one kind, as far as this process knows. */
export class ResourceWatcher {
  readonly #settings: WatcherSettings;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #objects = new Map<string, KubeObject>();
  /** The last resourceVersion; "": the list must be requested. */
  #version = "";
  #pathIndex = 0;
  #lastFault = "";
  #running: Promise<void> = Promise.resolve();

  constructor(settings: WatcherSettings) {
    this.#settings = settings;
  }

  get kind(): string {
    return this.#settings.kind.kind;
  }

  /** Path of the collection, in the version that the cluster has. */
  get path(): string {
    const { paths } = this.#settings.kind;
    return paths[this.#pathIndex % paths.length] ?? "";
  }

  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  /** Resolves when the kind was listed once, or is not installed. */
  get listed(): Promise<void> {
    return this.#first.promise;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Stores an object from the response to a change, unless the object was deleted or recreated meanwhile. */
  put(object: KubeObject): void {
    const known = this.#objects.get(keyOf(object));
    if (known !== undefined && known.metadata.uid === object.metadata.uid) {
      this.#objects.set(keyOf(object), slim(object));
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { retryMs: firstMs = 1_000 } = this.#settings;
    let retryMs = firstMs;
    while (!signal.aborted) {
      try {
        if (this.#version === "") {
          await this.#listAnyVersion(signal);
        }
        const began = performance.now();
        await this.#watch(signal);
        this.#lastFault = "";
        if (performance.now() - began > firstMs) {
          retryMs = firstMs;
          continue; // A watch ends after some minutes; changes must not wait for the next one.
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        retryMs = this.#failed(error) ? mostRetryMs : retryMs;
      }
      await setTimeoutAsync(retryMs, undefined, { signal }).catch(() => {});
      retryMs = Math.min(mostRetryMs, retryMs * 2);
    }
  }

  /** @returns true when the kind is not installed */
  #failed(error: unknown): boolean {
    const { kind, log } = this.#settings;
    const status = error instanceof KubeError ? error.status : 0;
    if (status === 410) {
      this.#version = "";
      return false;
    }
    const isMissing = status === 404 && kind.isOptional === true;
    const fault = isMissing ? "not installed" : messageOf(error);
    if (fault !== this.#lastFault) {
      this.#lastFault = fault;
      if (isMissing) {
        log.info(`${kind.kind} is not installed in this cluster: asked again each ${mostRetryMs / 1_000} s`);
      } else {
        log.warn(`cannot follow ${kind.kind}, known objects stay: ${fault}`);
      }
    }
    if (isMissing) {
      this.#version = "";
      this.#replace(new Map());
      this.#first.resolve();
    }
    return isMissing;
  }

  #replace(objects: Map<string, KubeObject>): void {
    const isSame =
      objects.size === this.#objects.size &&
      [...objects].every(
        ([key, { metadata }]) =>
          this.#objects.get(key)?.metadata.resourceVersion === metadata.resourceVersion,
      );
    this.#objects = objects;
    if (!isSame) {
      this.#settings.onChange();
    }
  }

  /** Lists by the first version of the kind that the cluster has. @throws KubeError with 404 when it has none */
  async #listAnyVersion(signal: AbortSignal): Promise<void> {
    for (let left = this.#settings.kind.paths.length; ; left--) {
      try {
        await this.#list(signal);
        return;
      } catch (error) {
        if (!(error instanceof KubeError && error.status === 404) || left <= 1) {
          throw error;
        }
        this.#pathIndex++;
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, kind, maxObjects = defaultMaxObjects } = this.#settings;
    const objects = new Map<string, KubeObject>();
    let version = "";
    let next = "";
    do {
      const query = new URLSearchParams({ limit: `${pageSize}`, ...(next === "" ? {} : { continue: next }) });
      const selector = kind.selector === undefined ? "" : `&${kind.selector}`;
      const page = (await client.get(`${this.path}?${query}${selector}`, signal)) as ListPage;
      for (const item of page.items ?? []) {
        objects.set(keyOf(item), slim(item));
      }
      if (objects.size > maxObjects) {
        throw new Error(`more than ${maxObjects} objects`);
      }
      version = page.metadata?.resourceVersion ?? "";
      next = page.metadata?.continue ?? "";
    } while (next !== "");
    this.#version = version;
    this.#replace(objects);
    this.#first.resolve();
  }

  /** Follows changes until the server ends the watch. @throws KubeError with 410 when the version is too old */
  async #watch(signal: AbortSignal): Promise<void> {
    const { client, kind, onChange, maxObjects = defaultMaxObjects } = this.#settings;
    const query = new URLSearchParams({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: this.#version,
      timeoutSeconds: `${watchSeconds()}`,
    });
    const selector = kind.selector === undefined ? "" : `&${kind.selector}`;
    for await (const { type, object } of client.watch(`${this.path}?${query}${selector}`, signal)) {
      if (type === "ERROR") {
        const { code = 0, message = "" } = object as { readonly code?: number; readonly message?: string };
        throw new KubeError(code, `watch: ${code}: ${message}`);
      }
      const item = object as KubeObject;
      this.#version = item.metadata.resourceVersion ?? this.#version;
      if (type === "DELETED") {
        this.#objects.delete(keyOf(item));
      } else if (type !== "BOOKMARK") {
        if (!this.#objects.has(keyOf(item)) && this.#objects.size >= maxObjects) {
          throw new Error(`more than ${maxObjects} objects`);
        }
        this.#objects.set(keyOf(item), slim(item));
      }
      if (type !== "BOOKMARK") {
        onChange();
      }
    }
  }
}
