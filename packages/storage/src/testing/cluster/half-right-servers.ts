import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { schemaVersion } from "../../engines/clickhouse/schema/migrations.ts";

/** Behaviour of a test server. */
type HostState = "up" | "hung" | "stranger" | "emptied";

export interface StandIn {
  /** Address of the server. */
  readonly url: string;
  /** Present behaviour of the server; tests change it. */
  state: HostState;
  /** True when the server's tables are read-only. */
  readOnly: boolean;
  /** True when only one of the server's tables is read-only. */
  stray: boolean;
  /**
   * Delay in seconds of its nearest replica of shard 2, which lacks the shard's rows. The other replica of shard 2 has
   * the rows.
   */
  behind: number;
  /** Tokens of the inserts that the server received. */
  readonly tokens: string[];
  /** For each token, the replica that the insert tries first. */
  readonly replicas: Map<string, number>;
  /** Number of reads that the server received, except reads about the cluster itself. */
  reads: number;
}

/**
 * Servers of a cluster with two shards. They imitate ClickHouse as far as these tests need. Tables exist, and each
 * shard has one service. A missing shard is skipped or causes an error, depending on the settings of the read.
 */
export class HalfRightServers {
  readonly hosts: StandIn[] = [];
  /** Numbers of the shards without any answering server. */
  readonly shardsAway = new Set<number>();
  /** Numbers of the shards whose servers hang. Servers of other shards wait for these servers and do not answer. */
  readonly shardsHung = new Set<number>();
  /** Number of servers that have reported their shard. */
  places = 0;
  readonly #servers: Server[] = [];

  static async open(count: number): Promise<HalfRightServers> {
    const cluster = new HalfRightServers();
    for (let index = 0; index < count; index++) {
      await cluster.#add();
    }
    return cluster;
  }

  get urls(): string[] {
    return this.hosts.map(({ url }) => url);
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #add(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(host, request, response)).listen(
      0,
      "127.0.0.1",
    );
    this.#servers.push(server);
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const host: StandIn = {
      url,
      state: "up",
      readOnly: false,
      stray: false,
      behind: 0,
      tokens: [],
      replicas: new Map(),
      reads: 0,
    };
    this.hosts.push(host);
  }

  async #answer(host: StandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams, pathname } = new URL(request.url ?? "", host.url);
    const token = searchParams.get("insert_deduplication_token");
    if (token !== null) {
      host.tokens.push(token);
      host.replicas.set(token, Number(searchParams.get("load_balancing_first_offset")));
    }
    let body = "";
    try {
      for await (const chunk of request.setEncoding("latin1")) {
        body += chunk;
      }
    } catch {
      return; // the client disconnected
    }
    const sql = searchParams.get("query") ?? body;
    const isOfCluster = /system\.|schema_migrations|shardNum/.test(sql);
    if (token === null && pathname !== "/ping" && !isOfCluster) {
      host.reads++;
    }
    if (host.state === "hung") {
      return;
    }
    if (pathname === "/ping") {
      response.end("Ok.\n");
    } else if (host.state === "stranger") {
      fail(response, 516, "AUTHENTICATION_FAILED", 403);
    } else if (host.state === "emptied") {
      this.#answerEmptied(sql, response);
    } else if (token !== null) {
      // A server without its Keeper waits longer than any caller does.
      if (!host.readOnly && this.shardsAway.size > 0) {
        fail(response, 279, "ALL_CONNECTION_TRIES_FAILED");
      } else if (!host.readOnly) {
        response.end();
      }
    } else {
      this.#select(host, sql, searchParams, response);
    }
  }

  /** Answers of a server that lost its disk: the server has no tables, but the Keeper still lists its replica. */
  #answerEmptied(sql: string, response: ServerResponse): void {
    if (sql.includes("AS macros")) {
      rows(response, [{ ...stateRow({ readOnly: false, stray: false }), tables: [], engine: "", begun: 0 }]);
    } else if (/^CREATE DATABASE|system\.tables|schema_lock/.test(sql)) {
      response.end();
    } else if (sql.startsWith("CREATE TABLE")) {
      fail(response, 253, "REPLICA_ALREADY_EXISTS");
    } else if (sql.includes("system.")) {
      rows(response, []);
    } else {
      fail(response, 60, "UNKNOWN_TABLE");
    }
  }

  #select(host: StandIn, sql: string, settings: URLSearchParams, response: ServerResponse): void {
    const there = [1, 2].filter((shard) => !this.shardsAway.has(shard) && !this.shardsHung.has(shard));
    const skips = settings.get("skip_unavailable_shards") === "1";
    if (sql.includes("AS macros")) {
      rows(response, [stateRow(host)]);
    } else if (sql.includes("AS statement")) {
      rows(response, [
        {
          name: "spans_local",
          engine: "ReplicatedMergeTree",
          statement: "CREATE TABLE tracing.spans_local (a UInt8)",
        },
      ]);
    } else if (sql.includes("system.replicas")) {
      rows(response, [{ readOnly: host.readOnly ? 1 : 0 }]);
    } else if (sql.includes("schema_migrations")) {
      rows(response, [{ version: 1_000_000 + schemaVersion, cluster: "main", replicated: 1 }]);
    } else if (sql.includes("is_local")) {
      this.places++;
      rows(response, [{ shard: this.hosts.indexOf(host) < this.hosts.length / 2 ? 1 : 2 }]);
    } else if (sql.includes("system.clusters")) {
      rows(response, [
        { shard: 1, hosts: ["a:9000", "b:9000"] },
        { shard: 2, hosts: ["c:9000", "d:9000"] },
      ]);
    } else if (sql.includes("shardNum()") && this.shardsHung.size > 0) {
      response.flushHeaders();
    } else if (this.shardsHung.size > (skips ? mostSkipped(settings) : 0)) {
      response.flushHeaders();
    } else if (sql.includes("shardNum()")) {
      rows(
        response,
        there.map((shard) => ({ shard, rows: 0 })),
      );
    } else if (this.shardsAway.size > (skips ? mostSkipped(settings) : 0)) {
      fail(response, 279, "ALL_CONNECTION_TRIES_FAILED");
    } else {
      const isStale = host.behind > 0 && host.behind <= mostBehind(settings);
      rows(
        response,
        there.flatMap((shard) => (shard === 2 && isStale ? [] : [{ service: `of-shard-${shard}` }])),
      );
    }
  }
}

/** Seconds that a replica may lag behind, from the settings of the read. */
function mostBehind(settings: URLSearchParams): number {
  return Number(settings.get("max_replica_delay_for_distributed_queries") ?? 300);
}

/** Shards that a read may skip. 0: no limit. */
function mostSkipped(settings: URLSearchParams): number {
  return Number(settings.get("max_skip_unavailable_shards_num") ?? 0) || Infinity;
}

function stateRow({ readOnly, stray }: Pick<StandIn, "readOnly" | "stray">) {
  return {
    tables: [
      ["spans", "Distributed"],
      ["schema_migrations", "View"],
    ],
    macros: [
      ["shard", "s1"],
      ["replica", "r1"],
    ],
    clusters: ["main"],
    engine: "Distributed('main', 'tracing', 'spans_local', cityHash64(trace_id) % 2)",
    ...{ slots: 2, begun: 1, readOnly: readOnly ? 1 : 0, stray: stray ? 1 : 0 },
  };
}

function rows(response: ServerResponse, values: readonly object[]): void {
  response.end(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

function fail(response: ServerResponse, code: number, name: string, status = 500): void {
  response.writeHead(status).end(`Code: ${code}. DB::Exception: it cannot. (${name})`);
}
