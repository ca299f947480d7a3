import type { Engine, EngineConnection } from "../engine/engine.ts";
import { readerProfile } from "../engine/engine-config.ts";
import { engineError } from "../engine-error.ts";
import { quoteString } from "../sql/statement.ts";
import type { SessionParameters } from "./query-parameters.ts";
import type { User } from "./users.ts";

/** One session of a client, with its connection to the engine. */
interface Session {
  readonly connection: EngineConnection;
  /** True while a query of the session runs. */
  busy: boolean;
  /** Ends the session when it was unused for its timeout; the timer is stopped while a query runs. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Sessions of clients (`session_id`): the effects of `SET`, `USE` and `CREATE TEMPORARY TABLE` last until the session
 * was unused for its timeout. Each session is a connection to the engine, and runs one query at a time. Source:
 * ClickHouse documentation, "HTTP interface", sessions
 */
export class Sessions {
  readonly #engine: Engine;
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, Session>();

  constructor(engine: Engine, maxSessions: number) {
    this.#engine = engine;
    this.#maxSessions = maxSessions;
  }

  get count(): number {
    return this.#sessions.size;
  }

  /**
   * Calls `work`, for which the session's connection is reserved; opens the session if it does not exist.
   * @param user each user has separate sessions
   * @throws EngineError SESSION_NOT_FOUND; SESSION_IS_LOCKED while another query of the session runs;
   * TOO_MANY_SIMULTANEOUS_QUERIES above the limit of sessions
   */
  async use<Result>(
    user: User,
    { id, timeoutSeconds, mustExist }: SessionParameters,
    work: (connection: EngineConnection) => Promise<Result>,
  ): Promise<Result> {
    const key = `${user.name}\0${id}`;
    const known = this.#sessions.get(key);
    const session = known ?? this.#open(key, id, mustExist);
    if (session.busy) {
      throw engineError("SESSION_IS_LOCKED", `Session ${id} is locked by a concurrent client`);
    }
    session.busy = true;
    clearTimeout(session.timer);
    try {
      if (known === undefined && user.readOnly) {
        await this.#pin(key, session);
      }
      return await work(session.connection);
    } finally {
      session.busy = false;
      if (this.#sessions.get(key) === session) {
        session.timer = setTimeout(() => this.#end(key, session), timeoutSeconds * 1000).unref();
      }
    }
  }

  #open(key: string, id: string, mustExist: boolean): Session {
    if (mustExist) {
      throw engineError("SESSION_NOT_FOUND", `Session ${id} not found`);
    }
    if (this.#sessions.size >= this.#maxSessions) {
      throw engineError(
        "TOO_MANY_SIMULTANEOUS_QUERIES",
        `Too many sessions: ${this.#maxSessions} are open, try again later or without session_id`,
      );
    }
    const session: Session = { connection: this.#engine.connect(), busy: false, timer: undefined };
    this.#sessions.set(key, session);
    return session;
  }

  /** Makes a session permanently read-only. */
  async #pin(key: string, session: Session): Promise<void> {
    try {
      for (const sql of [`SET profile = '${readerProfile}'`, "SET readonly = 2"]) {
        await session.connection.run({ prepare: "", sql, format: "Null", tag: "session" });
      }
    } catch (error) {
      this.#end(key, session);
      throw error;
    }
  }

  #end(key: string, session: Session): void {
    this.#sessions.delete(key);
    session.connection.close();
  }
}

/** Settings that a query's parameters change only for that query. */
export interface OwnSettings {
  readonly names: Iterable<string>;
  readonly changesDatabase: boolean;
}

/**
 * Reads the settings of a session that a query's parameters will change.
 * @returns SQL that restores these settings; "" if none must be restored
 */
export async function statementToRestore(
  connection: EngineConnection,
  { names, changesDatabase }: OwnSettings,
): Promise<string> {
  const list = [...names].map(quoteString).join(", ");
  const sql = `SELECT currentDatabase(), groupArray((name, value, changed)) FROM system.settings WHERE name IN (${list || "''"})`;
  const { bytes } = await connection.run({ prepare: "", sql, format: "JSONCompactEachRow", tag: "session" });
  const [database, settings] = JSON.parse(bytes.toString("utf8")) as [string, [string, string, 0 | 1][]];
  const assignments = settings.map(
    ([name, value, changed]) => `${name} = ${changed === 1 ? quoteString(value) : "DEFAULT"}`,
  );
  return [
    changesDatabase ? `USE \`${database.replace(/[\\`]/g, "\\$&")}\`` : "",
    assignments.length === 0 ? "" : `SET ${assignments.join(", ")}`,
  ]
    .filter((part) => part !== "")
    .join("; ");
}
