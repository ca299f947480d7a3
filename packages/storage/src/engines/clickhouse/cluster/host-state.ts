import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isCredentialsFault, isHostFault } from "../clickhouse-errors.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { RunningTimeout } from "../hosts/running-timeout.ts";
import { clusterVersionOffset } from "../schema/ensure-schema.ts";
import { isBegunInSteps, schemaVersion } from "../schema/migrations.ts";
import { localTable } from "./cluster-statements.ts";
import { type HostLayout, layoutOf } from "./shard-layout.ts";

/**
 * Time limit in milliseconds for the check of each server, counted from the first answer of any server. All servers are
 * checked concurrently. It is shorter than the time limit of callers of `ready`.
 */
const lookTimeoutMs = 3_000;
/**
 * The same time limit, for commands of an operator. These commands refuse to work while a server is down, so they wait
 * longer for a busy server.
 */
export const patientLookMs = 20_000;

/** When and how long servers are checked. */
export interface LookLimits {
  readonly signal?: AbortSignal | undefined;
  /** Time limit for each server in milliseconds, counted from the first answer of any server. Default: 3 s. */
  readonly longestMs?: number;
}

/** The state of one server of a cluster. */
export interface HostState extends HostLayout {
  /** Address of the host. */
  readonly url: string;
  /** Connection to this server alone. */
  readonly connection: ClickHouseConnection;
  /** Value of the macro `shard`. Servers with the same value have the same rows. */
  readonly shard: string;
  /** True when the server's tables were created in single steps, see `isBegunInSteps`. */
  readonly isBegun: boolean;
  /** True when all tables of the server are read-only, because it cannot reach the Keeper. */
  readonly isReadOnly: boolean;
  /**
   * True when some tables of the server are read-only, because their parts differ from the parts that the Keeper knows.
   */
  readonly isStray: boolean;
}

interface StateRow {
  readonly begun: number;
  readonly readOnly: number;
  readonly stray: number;
  readonly tables: readonly (readonly [name: string, engine: string])[];
  readonly macros: readonly (readonly [macro: string, value: string])[];
  readonly clusters: readonly string[];
  readonly engine: string;
  readonly slots: number;
}

/** State of a server whose answer lacks fields. */
const noState: StateRow = {
  ...{ begun: 0, readOnly: 0, stray: 0, slots: 0, engine: "" },
  ...{ tables: [], macros: [], clusters: [] },
};

/**
 * Reads the state of every listed server. Servers that are down are left out, unless all servers are down.
 * @throws StorageError STORAGE_VERSION when a server has a newer schema. STORAGE_REFUSED when a server does not know
 *   the cluster, lacks a macro, or has a different layout of the database. In these cases nothing is changed.
 */
export async function hostStates(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  { signal, longestMs = lookTimeoutMs }: LookLimits = {},
): Promise<{ readonly states: readonly HostState[]; readonly away: readonly string[] }> {
  const all = connection.each();
  const up = all.filter(({ isUp }) => isUp);
  // Servers that are down are pinged until they are back. When all are down, all are tried.
  const hosts = up.length === 0 ? all : up;
  const lateness = new Lateness(longestMs);
  const either = signal === undefined ? lateness.signal : AbortSignal.any([signal, lateness.signal]);
  const looks = await Promise.allSettled(
    hosts.map(async ({ url, connection: host }) => {
      try {
        const state = await stateOf(url, host, { database, cluster, signal: either });
        lateness.answered();
        return state;
      } catch (error) {
        const isLate = lateness.signal.aborted && signal?.aborted !== true;
        throw isLate
          ? new StorageError("STORAGE_UNAVAILABLE", `${url} does not answer`, { cause: error })
          : error;
      }
    }),
  );
  lateness.end();
  const states: HostState[] = [];
  const away = all.filter((host) => !hosts.includes(host)).map(({ url }) => url);
  let lastError: unknown;
  for (const [index, look] of looks.entries()) {
    if (look.status === "fulfilled") {
      states.push(look.value);
    } else {
      lastError = look.reason;
      if (!isOfOneHost(look.reason)) {
        throw look.reason;
      }
      away.push(hosts[index]?.url ?? "");
    }
  }
  if (states.length === 0) {
    throw lastError;
  }
  return { states, away };
}

/** Ends checks that take too long. If all checks take too long, the first answer ends the other checks. */
class Lateness {
  readonly #controller = new AbortController();
  readonly #timeout: RunningTimeout;
  #isTime = false;
  #hasAnswer = false;

  constructor(ms: number) {
    this.#timeout = new RunningTimeout(ms);
    this.#timeout.signal.addEventListener("abort", () => {
      this.#isTime = true;
      this.#endIfDone();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  answered(): void {
    this.#hasAnswer = true;
    this.#endIfDone();
  }

  end(): void {
    this.#timeout.end();
  }

  #endIfDone(): void {
    if (this.#isTime && this.#hasAnswer) {
      this.#controller.abort();
    }
  }
}

/** True when the other servers can continue without the failing server. */
function isOfOneHost(error: unknown): boolean {
  return error instanceof StorageError && (isHostFault(error) || isCredentialsFault(error));
}

/** Database and cluster to check on a server. */
interface HostLook {
  readonly database: string;
  /** Cluster to which the server should belong. */
  readonly cluster: ClusterSettings;
  readonly signal: AbortSignal | undefined;
}

/** SQL that reads the `StateRow` of one server. */
function stateSql(): string {
  const isBegun = isBegunInSteps(localTable("spans"));
  return `SELECT
  (SELECT groupArray((name, engine)) FROM system.tables WHERE database = {database:String} AND name IN ('spans', 'schema_migrations')) AS tables,
  (SELECT groupArray((macro, substitution)) FROM system.macros) AS macros,
  (SELECT groupUniqArray(cluster) FROM system.clusters) AS clusters,
  (SELECT any(engine_full) FROM system.tables WHERE database = {database:String} AND name = 'spans') AS engine,
  (SELECT toUInt32(sum(weight)) FROM (SELECT any(shard_weight) AS weight FROM system.clusters WHERE cluster = {cluster:String} GROUP BY shard_num)) AS slots,
  (SELECT countIf(is_readonly) > 0 AND countIf(NOT is_readonly) = 0 FROM system.replicas WHERE database = {database:String}) AS readOnly,
  (SELECT countIf(is_readonly) > 0 AND countIf(NOT is_readonly) > 0 FROM system.replicas WHERE database = {database:String}) AS stray,
  ${isBegun} AS begun`;
}

async function stateOf(url: string, connection: ClickHouseConnection, look: HostLook): Promise<HostState> {
  const { database, cluster, signal } = look;
  const parameters = { database, cluster: cluster.name };
  const [answer] = await connection.rows<Partial<StateRow>>(stateSql(), parameters, { signal });
  const row: StateRow = { ...noState, ...answer };
  const fault = faultOf(url, row, look);
  if (fault !== undefined) {
    throw new StorageError("STORAGE_REFUSED", fault);
  }
  const hasVersion = row.tables.some(([name]) => name === "schema_migrations");
  return {
    url,
    connection,
    shard: cluster.isReplicated ? (new Map(row.macros).get("shard") ?? "") : url,
    version: hasVersion ? await versionOf(url, connection, look) : 0,
    isBegun: row.begun === 1,
    isReadOnly: row.readOnly === 1,
    isStray: row.stray === 1,
    layout: layoutOf(row.engine),
    slots: row.slots,
  };
}

/** @returns the reason why a server cannot belong to the cluster; undefined for a server that can */
function faultOf(
  url: string,
  { clusters, macros, tables }: StateRow,
  { database, cluster }: HostLook,
): string | undefined {
  if (!clusters.includes(cluster.name)) {
    return `${url} knows no cluster "${cluster.name}", but: ${[...clusters].sort().join(", ") || "none"}`;
  }
  const values = new Map(macros);
  for (const macro of cluster.isReplicated ? ["shard", "replica"] : []) {
    if (!values.has(macro)) {
      return `${url} has no macro "${macro}", which replicated tables need`;
    }
  }
  const engines = new Map(tables);
  if (
    (engines.get("schema_migrations") ?? "View") !== "View" ||
    (engines.get("spans") ?? "Distributed") !== "Distributed"
  ) {
    return (
      `database ${database} at ${url} has the tables of a single server, which are not turned into those of a cluster: ` +
      "use another database, and see docs/scale.md for taking the spans along"
    );
  }
  return undefined;
}

async function versionOf(
  url: string,
  connection: ClickHouseConnection,
  { database, cluster, signal }: HostLook,
): Promise<number> {
  type Row = { readonly version: number; readonly cluster: string; readonly replicated: number };
  const [row] = await connection.rows<Row>(`SELECT * FROM ${database}.schema_migrations`, {}, { signal });
  if (row === undefined) {
    return 0;
  }
  if (row.cluster !== cluster.name || (row.replicated === 1) !== cluster.isReplicated) {
    const layout = row.replicated === 1 ? "replicated" : "not replicated";
    throw new StorageError(
      "STORAGE_REFUSED",
      `database ${database} at ${url} is laid out for cluster "${row.cluster}", ${layout}`,
    );
  }
  const version = row.version - clusterVersionOffset;
  if (version > schemaVersion) {
    throw new StorageError(
      "STORAGE_VERSION",
      `the schema of database ${database} at ${url} has version ${version}, this program knows versions up to ` +
        `${schemaVersion}: use a newer program, or another database`,
    );
  }
  return version;
}
