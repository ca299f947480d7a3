import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterVersionOffset } from "../../engines/clickhouse/schema/ensure-schema.ts";
import { schemaVersion } from "../../engines/clickhouse/schema/migrations.ts";

/** Names of the replicas of one shard in the `remote_servers` of a test server. */
type Shard = readonly string[];

/**
 * A test server on a real socket. It answers like a server of a cluster whose tables are being changed. It imitates
 * `remote_servers`, macros, and a distribution in its table `spans`. Suites with a real cluster test how servers handle
 * rows.
 */
export class StandInServer {
  /** Shards in its `remote_servers`. */
  shards: readonly Shard[];
  /** Engine of the server's table `spans`. Empty: the server has no tables. */
  engine: string;
  /** The server's clock, in hours since 1970. */
  hours = 24 * 20_000 + 9;
  /** Number of spans that are still in the last shard. */
  spansLeft = 0;
  isAway = false;
  /** Number of state checks that the server answers late, as a busy server does, and the delay in milliseconds. */
  late = { looks: 0, ms: 0 };
  /** The received statements that change data or schema. */
  readonly statements: string[] = [];
  readonly #name: string;
  readonly #macro: string;
  readonly #server: Server;
  #isLocked = false;

  constructor(name: string, macro: string, shards: readonly Shard[], key: string | undefined) {
    this.#name = name;
    this.#macro = macro;
    this.shards = shards;
    this.engine = key === undefined ? "" : engineOf(key);
    this.#server = createServer(async (request, response) => {
      if (this.isAway) {
        request.destroy();
        return;
      }
      const sql = await text(request);
      if (sql.includes(" AS begun") && this.late.looks-- > 0) {
        await sleep(this.late.ms);
      }
      const [status, body] = this.#answer(sql);
      response.writeHead(status, status === 200 ? {} : { "x-clickhouse-exception-code": "57" }).end(body);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(sql: string): [status: number, body: string] {
    const row = (value: unknown): [number, string] => [200, `${JSON.stringify(value)}\n`];
    if (sql.includes(" AS begun")) {
      return row(this.#state());
    }
    if (sql.includes("schema_migrations FORMAT")) {
      const version = clusterVersionOffset + schemaVersion;
      return row({ version, cluster: "main", replicated: 1 });
    }
    if (sql.includes("GROUP BY shard_num ORDER BY")) {
      const rows = this.shards.map((replicas) => ({
        ...{ weight: 1, own: replicas.includes(this.#name) ? 1 : 0 },
        replicas: replicas.map((name) => `${name}:9000`),
      }));
      return [200, rows.map((each) => `${JSON.stringify(each)}\n`).join("")];
    }
    if (sql.includes("toUnixTimestamp(now())")) {
      return row({ hours: this.hours });
    }
    if (sql.includes("max(received)")) {
      return row({ spans: this.spansLeft, day: "2024-10-04" });
    }
    if (sql.startsWith("SELECT")) {
      return [200, ""];
    }
    return this.#change(sql);
  }

  #change(sql: string): [status: number, body: string] {
    if (sql.startsWith("CREATE TABLE") && sql.includes("schema_lock")) {
      if (this.#isLocked) {
        return [500, "Code: 57. DB::Exception: there already. (TABLE_ALREADY_EXISTS)"];
      }
      this.#isLocked = true;
    }
    if (sql.startsWith("DROP TABLE IF EXISTS") && sql.includes("schema_lock")) {
      this.#isLocked = false;
    }
    this.statements.push(sql);
    const engine = /^CREATE OR REPLACE TABLE \w+\.spans AS[\s\S]*ENGINE = (.*)$/.exec(sql)?.[1];
    if (engine !== undefined) {
      this.engine = engine;
    }
    return [200, ""];
  }

  #state(): object {
    const tables =
      this.engine === ""
        ? []
        : [
            ["spans", "Distributed"],
            ["schema_migrations", "View"],
          ];
    return {
      ...{ tables, clusters: ["main"], engine: this.engine, slots: this.shards.length, begun: 0 },
      macros: [
        ["shard", this.#macro],
        ["replica", this.#name],
      ],
    };
  }
}

function engineOf(key: string): string {
  return `Distributed('main', 'tracing', 'spans_local', ${key})`;
}
