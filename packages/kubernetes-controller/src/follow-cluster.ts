import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ClusterAccess } from "./cluster/cluster-access.ts";
import { ClusterWatch } from "./cluster/cluster-watch.ts";
import { KubeClient } from "./cluster/kube-client.ts";
import { applySites } from "./fault-search.ts";
import { publishedAddresses } from "./published-addresses.ts";
import { EventWriter } from "./status/event-writer.ts";
import { StatusWriter } from "./status/status-writer.ts";
import { type ServerState, wantedStatuses } from "./status/wanted-statuses.ts";
import { AdminTarget, type AskAdmin } from "./target/admin-target.ts";
import type { Problem } from "./translate/problems.ts";
import { type Translation, translate } from "./translate/translate.ts";

export interface FollowSettings {
  readonly access: ClusterAccess;
  /** Asks the admin API of the server that is configured. */
  readonly ask: AskAdmin;
  /** Name by which IngressClasses and GatewayClasses refer to this controller. */
  readonly controllerName: string;
  /** Namespaces that are watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly ingressPorts: { readonly http: number; readonly https: number };
  /** Pool of addresses, of which each Gateway gets one; empty: all Gateways share the addresses of the server. */
  readonly gatewayAddresses: readonly string[];
  /** Addresses of the server, for statuses. */
  readonly publishAddresses: readonly string[];
  /** `namespace/name` of the Service whose addresses are the server's; "": none. */
  readonly publishService: string;
  /** Milliseconds for which changes are collected before the server is configured. */
  readonly throttleMs: number;
  /** Milliseconds between two synchronisations when nothing changes in the cluster. */
  readonly resyncMs: number;
  readonly log: Logger;
  /** Start value of the pause after failures, in milliseconds. Each failure doubles the pause. */
  readonly retryMs?: number;
}

/** Text that identifies a problem in the log. */
function problemText({ kind, object, reason, message }: Problem): string {
  const { namespace = "", name } = object.metadata;
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}: ${reason}: ${message}`;
}

/** Configures a server as the objects of a cluster request, and writes the result into the statuses of the objects. */
export class ClusterFollower {
  readonly #settings: FollowSettings;
  readonly #client: KubeClient;
  readonly #watch: ClusterWatch;
  readonly #target: AdminTarget;
  readonly #statuses: StatusWriter;
  readonly #events: EventWriter;
  readonly #stopping = new AbortController();
  #server: ServerState = { refused: new Map(), fault: "" };
  /** Problems that were logged; a lasting one is logged once. */
  #logged = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isListed = false;
  /** True when something changed and the next synchronisation follows soon. */
  #isAwaited = false;

  constructor(settings: FollowSettings) {
    const { access, ask, namespaces, log, retryMs } = settings;
    this.#settings = settings;
    this.#client = new KubeClient(access);
    this.#target = new AdminTarget(ask);
    this.#watch = new ClusterWatch({
      ...{ client: this.#client, namespaces, log },
      onChange: () => this.#changed(),
      ...(retryMs === undefined ? {} : { retryMs }),
    });
    this.#statuses = new StatusWriter(this.#client, this.#watch, log);
    this.#events = new EventWriter(this.#client);
  }

  /** Begins to follow the cluster. The running configuration stays until each kind was listed once. */
  start(): void {
    void this.#watch.start().then(() => {
      this.#isListed = true;
      this.#running = this.#synchronise();
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#watch.stop();
    await this.#running;
    this.#client.close();
  }

  #changed(): void {
    if (this.#isListed && !this.#isAwaited) {
      this.#isAwaited = true;
      void this.#running.then(() => this.#wait(this.#settings.throttleMs));
    }
  }

  /** Plans the next synchronisation, which replaces an earlier plan. */
  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopping.signal.aborted) {
      this.#timer = setTimeout(() => {
        this.#running = this.#synchronise();
      }, ms);
    }
  }

  async #synchronise(): Promise<void> {
    this.#isAwaited = false;
    const { log, controllerName, resyncMs, throttleMs } = this.#settings;
    const { signal } = this.#stopping;
    try {
      const snapshot = this.#watch.snapshot();
      const settings = { ...this.#settings, published: publishedAddresses(snapshot, this.#settings) };
      const translation = translate(snapshot, settings);
      await this.#configure(translation);
      this.#log(translation.problems);
      const routes = {
        HTTPRoute: snapshot.httpRoutes,
        GRPCRoute: snapshot.grpcRoutes,
        TLSRoute: snapshot.tlsRoutes,
      };
      await this.#statuses.write(wantedStatuses(translation, routes, settings, this.#server), signal);
      await this.#events.write(translation.problems, controllerName, signal);
    } catch (error) {
      log.error({ err: error }, `the cluster cannot be followed at the moment: ${messageOf(error)}`);
    }
    this.#wait(this.#isAwaited ? throttleMs : resyncMs);
  }

  async #configure({ sites }: Translation): Promise<void> {
    const { log } = this.#settings;
    const { refused, fault } = this.#server;
    try {
      const applied = await applySites(this.#target, sites, refused);
      this.#server = { refused: applied.refused, fault: "" };
      if (applied.hasChanged) {
        log.info("the cluster changed: the server follows");
      }
    } catch (error) {
      this.#server = { refused, fault: messageOf(error) };
      if (this.#server.fault !== fault) {
        log.error(`the server cannot be configured, so what runs goes on: ${this.#server.fault}`);
      }
    }
  }

  #log(problems: readonly Problem[]): void {
    const refused = [...this.#server.refused].map(([id, text]) => `${id}: the server refuses it: ${text}`);
    const texts = [...problems.map(problemText), ...refused];
    for (const text of texts) {
      if (!this.#logged.has(text)) {
        this.#settings.log.warn(text);
      }
    }
    this.#logged = new Set(texts);
  }
}
