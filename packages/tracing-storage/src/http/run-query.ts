import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { PartialReason } from "storage/api";
import { mostDamagedParts, type PartQuarantine } from "../damage/part-quarantine.ts";
import { ReadGivenUp, type StuckReads } from "../damage/stuck-reads.ts";
import type { DiskGuard } from "../engine/disk-guard.ts";
import type { Engine, EngineConnection, EngineStatement } from "../engine/engine.ts";
import type { NativeResult } from "../engine/native-binding.ts";
import type { QueryGate } from "../engine/query-gate.ts";
import { EngineError, engineError, toEngineError } from "../engine-error.ts";
import type { PointReader } from "../point-read/point-reader.ts";
import { pointQuestionOf } from "../point-read/point-request.ts";
import { keptQuestion, sessionStatement } from "../sql/session-statement.ts";
import {
  insertFromFile,
  killByClientId,
  quoteString,
  readStatement,
  resultToFile,
  type Statement,
} from "../sql/statement.ts";
import { utf8Text } from "../sql/utf8-text.ts";
import type { StorageMetrics } from "../storage-metrics.ts";
import type { QueryParameters } from "./query-parameters.ts";
import type { RequestBody } from "./request-body.ts";
import { type Sessions, statementToRestore } from "./sessions.ts";
import { type RestOfResult, runStreamed, type StreamedResult } from "./streamed-result.ts";
import type { User } from "./users.ts";

/**
 * Maximum number of bytes of a query's text; ClickHouse's default of `max_query_size`. A request may raise this limit
 * up to the next constant.
 */
const maxQueryBytes = 256 * 1024;
const maxRaisedQueryBytes = 16 * 1024 * 1024;

/** Verbs of statements that neither read nor insert rows, and do not change tables. */
const leavingTables: ReadonlySet<string> = new Set(["SET", "USE", "KILL", "OPTIMIZE", "CHECK"]);

/** The outcome of a query, with its whole result or the beginning of the result. */
export interface QueryOutcome {
  /** Kind of the query: `select` for reads, `insert` for INSERT, `other` for all other statements. */
  readonly kind: "select" | "insert" | "other";
  /** Format of the result. */
  readonly format: string;
  /** The whole result, or the beginning of the result. */
  readonly result: Buffer;
  /**
   * The rest of the result, after `result`. The caller must read the rest to its end, or abort the signal of the query.
   */
  readonly more?: RestOfResult;
  /** Rows of the result, or inserted rows; 0 when unknown. */
  readonly rows: number;
  /** Decompressed size of the inserted rows in bytes. */
  readonly insertedBytes: number;
  /** Duration in the engine in seconds; for point reads the duration of the read. */
  readonly elapsedSeconds: number;
  /** Reasons why rows are missing from the result; absent for a complete result. */
  readonly missing?: readonly PartialReason[];
}

/** The objects that queries of all requests share. */
export interface QueryParts {
  /** Engine for statements that no other part answers. */
  readonly engine: Engine;
  /** Limits the number of running queries. */
  readonly gate: QueryGate;
  /** Refuses statements that write rows when the disk is nearly full. */
  readonly guard: DiskGuard;
  /** Stores settings and temporary tables between requests. */
  readonly sessions: Sessions;
  /** Answers statements for given traces from the files of parts. */
  readonly pointReader: PointReader;
  readonly metrics: Pick<StorageMetrics, "pointReads">;
  /** Detaches damaged parts that a read finds. */
  readonly quarantine: Pick<PartQuarantine, "suspect" | "missingFrom" | "tablesChanged">;
  /** Repeats reads that found a damaged block. */
  readonly stuckReads: Pick<StuckReads, "during">;
}

function kindOf({ verb }: Statement): QueryOutcome["kind"] {
  return verb === "INSERT"
    ? "insert"
    : /^(SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|EXISTS|FROM)$/.test(verb)
      ? "select"
      : "other";
}

/** The statement, and the position of an insert's rows. Some rows may follow the statement in its text. */
interface StatementText {
  readonly statement: Statement;
  /** The `query` parameter, and the bytes of the body that were read. */
  readonly text: Buffer;
  /** Position in the body of the first byte that is not in `text`. */
  readonly bodyFrom: number;
}

/**
 * Reads the statement from the `query` parameter, and then from the body, up to the limit of a query's text. If the
 * parameter contains an insert, the body has only rows and is not read here.
 */
async function readText(parameters: QueryParameters, body: RequestBody): Promise<StatementText> {
  const asked = Number(parameters.settings.get("max_query_size") ?? maxQueryBytes);
  const limit = Math.min(Math.max(asked || maxQueryBytes, maxQueryBytes), maxRaisedQueryBytes);
  const query = Buffer.from(parameters.query === "" ? "" : `${parameters.query}\n`, "utf8");
  const ofQuery = query.length === 0 ? undefined : readStatement(query.toString("latin1"));
  if (ofQuery?.insert !== undefined) {
    return { statement: ofQuery, text: query, bodyFrom: 0 };
  }
  const { head, complete } = await body.peek(limit + 1);
  const text = Buffer.concat([query, head]);
  const statement = readStatement(text.toString("latin1"));
  const isInsert = statement.insert !== undefined && statement.insert.dataAt <= limit;
  if (!isInsert && (!complete || text.length > limit)) {
    throw engineError(
      "QUERY_IS_TOO_LARGE",
      `the query is over the limit of ${limit} bytes (max_query_size, at most ${maxRaisedQueryBytes})`,
    );
  }
  return { statement, text, bodyFrom: head.length };
}

/** True for statements that write rows. Statements that free space must run even when the disk is full. */
function writesRows({ verb, inserts }: Statement): boolean {
  return verb === "INSERT" || inserts;
}

/** Input of a statement. */
interface QueryInput {
  readonly parameters: QueryParameters;
  /** The body, which continues the statement, or has the rows of an insert. */
  readonly body: RequestBody;
  /**
   * Aborted when the client disconnects or stops reading. It cancels reads, but an insert that already runs continues.
   */
  readonly signal: AbortSignal;
}

/**
 * Runs the query of one request. Rows of an insert are first written to a spool file, so that a slow client does not
 * block the engine. Every format is possible, including binary formats, and a body may be larger than the memory. The
 * result of a read comes through a pipe, at the pace of the client.
 * @throws EngineError
 */
export async function runQuery(
  parts: QueryParts,
  user: User,
  { parameters, body, signal }: QueryInput,
): Promise<QueryOutcome> {
  const read = await readText(parameters, body);
  const { statement } = read;
  if (statement.verb === "") {
    throw engineError("SYNTAX_ERROR", "Syntax error: empty query");
  }
  // In sessions, `readonly` is not set, because it could not be reset.
  const asked = parameters.session === undefined ? undefined : parameters.settings.get("readonly");
  const readOnly = parameters.readOnly || asked === "1" || asked === "2";
  if (readOnly && (kindOf(statement) !== "select" || statement.inserts)) {
    // `readonly = 2` forbids writes, but the engine would still run SYSTEM and KILL.
    throw engineError(
      "READONLY",
      parameters.reader
        ? `Cannot execute ${statement.verb} as a read-only user`
        : `Cannot execute ${statement.verb} with GET, HEAD or readonly: use POST`,
    );
  }
  if (parameters.reader && statement.setsProfile) {
    throw engineError("ACCESS_DENIED", "a read-only user cannot choose its profile");
  }
  if (writesRows(statement)) {
    await parts.guard.check();
  }
  const { session } = parameters;
  const point = session === undefined ? await answerOfParts(parts, read, parameters) : undefined;
  if (point !== undefined) {
    return point;
  }
  if (session === undefined) {
    const prepare = sessionStatement(parameters);
    const leavesNothing = kindOf(statement) === "select" && !statement.inserts;
    const kept = leavesNothing ? keptQuestion(parameters, parameters.queryId) : undefined;
    const run = { parts, runner: parts.engine, first: { prepare, kept }, read, parameters };
    return await runOn(run, body, signal);
  }
  return await new Promise((resolve, reject) => {
    // For a streamed result, the session stays locked until the query has ended.
    parts.sessions
      .use(user, session, async (connection) => {
        const outcome = await runInSession(parts, connection, read, { parameters, body, signal });
        resolve(outcome.outcome);
        await outcome.ended;
      })
      .catch(reject);
  });
}

/**
 * Answers a statement for few rows by their keys from the files of parts.
 * @returns undefined for other statements, and when the files of parts cannot answer; the engine then runs the
 * statement
 */
async function answerOfParts(
  parts: QueryParts,
  { statement, text }: StatementText,
  parameters: QueryParameters,
): Promise<QueryOutcome | undefined> {
  const { pointReader, metrics } = parts;
  if (statement.verb !== "SELECT") {
    return undefined;
  }
  const begin = performance.now();
  const question = pointQuestionOf(text.toString("latin1"), parameters, pointReader.maxQuerySeconds);
  if (question === undefined) {
    return undefined;
  }
  const answer = await pointReader.read(question);
  metrics.pointReads.inc({ by: answer === undefined ? "engine" : "parts" });
  if (answer === undefined) {
    return undefined;
  }
  const outcome: QueryOutcome = {
    ...{ kind: "select", format: "RowBinary", result: answer.bytes, rows: answer.rows, insertedBytes: 0 },
    elapsedSeconds: (performance.now() - begin) / 1000,
  };
  return withMissing(parts, outcome, text);
}

/** Adds the reasons for rows that are missing because of detached parts. */
function withMissing({ quarantine }: QueryParts, outcome: QueryOutcome, text: Buffer): QueryOutcome {
  const missing = quarantine.missingFrom(() => text.toString("latin1"));
  return missing.length === 0 ? outcome : { ...outcome, missing };
}

/** Runs a query in a session, and resets its parameters afterwards. */
async function runInSession(
  parts: QueryParts,
  connection: EngineConnection,
  read: StatementText,
  { parameters, body, signal }: QueryInput,
): Promise<{ readonly outcome: QueryOutcome; readonly ended: Promise<void> }> {
  const settings = new Map(parameters.settings);
  settings.delete("readonly");
  const restore = await statementToRestore(connection, {
    names: settings.keys(),
    changesDatabase: parameters.database !== "",
  });
  // `readonly` could not be reset in a session. Statements that only read were recognized before.
  const own = sessionStatement({ ...parameters, settings, readOnly: false, reader: false });
  const prepare = [own, `SET log_comment = ${quoteString(parameters.queryId)}`]
    .filter((sql) => sql !== "")
    .join("; ");
  const putBack = async () => {
    if (restore !== "") {
      await connection.run({ prepare: restore, sql: "SELECT 1", format: "Null", tag: "session" });
    }
  };
  let outcome: QueryOutcome;
  try {
    const run = { parts, runner: connection, first: { prepare }, read, parameters };
    outcome = await runOn(run, body, signal);
  } catch (error) {
    await putBack();
    throw error;
  }
  const { more } = outcome;
  if (more === undefined) {
    await putBack();
    return { outcome, ended: Promise.resolve() };
  }
  return { outcome, ended: more.ended.then(putBack).catch(() => {}) };
}

/** A statement that is ready to run. */
interface ReadyStatement {
  readonly parts: QueryParts;
  /** The engine, or the connection of a session. */
  readonly runner: Pick<Engine | EngineConnection, "run">;
  /** Statements that run before it, and data for reusing its connection. */
  readonly first: Pick<EngineStatement, "prepare" | "kept">;
  readonly read: StatementText;
  readonly parameters: QueryParameters;
}

async function runOn(ready: ReadyStatement, body: RequestBody, signal: AbortSignal): Promise<QueryOutcome> {
  const { parts, runner, first, parameters } = ready;
  const { statement, text } = ready.read;
  const tag = parameters.queryId;
  if (statement.insert !== undefined) {
    return await insertRows(ready, statement.insert, body, signal);
  }
  if (kindOf(statement) !== "select" || statement.inserts) {
    return await runStatement(ready, tag, signal);
  }
  return await askAround(parts, text, signal, (tries) => {
    // The abandoned statement still runs, so the next attempt has another tag and a new connection.
    const own = tries === 0 ? { first, tag } : { first: { prepare: first.prepare }, tag: `${tag}-${tries}` };
    const run = (stop: AbortSignal) => runStatement({ ...ready, first: own.first }, own.tag, stop);
    // The connection of a session runs one statement at a time, so a statement cannot be repeated before it has ended.
    return runner === parts.engine
      ? parts.stuckReads.during(own.tag, (stop) => run(AbortSignal.any([signal, stop])))
      : run(signal);
  });
}

/**
 * Inserts rows that the client sends. They are in a file until all have arrived, so that an interrupted insert changes
 * nothing.
 */
async function insertRows(
  { parts, runner, first, read, parameters }: ReadyStatement,
  insert: NonNullable<Statement["insert"]>,
  body: RequestBody,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const { engine, gate, guard } = parts;
  const { format, queryId: tag } = parameters;
  const path = join(engine.folder.spoolPath, randomUUID());
  try {
    const insertedBytes = await body.spool(path, read.text.subarray(insert.dataAt), read.bodyFrom);
    await guard.check();
    const sql = insertFromFile(read.text, insert, path);
    const ran = await gate.run(() => runner.run({ ...first, sql, format, tag }), signal);
    const { bytes: result, rowsRead: rows, elapsed: elapsedSeconds } = ran;
    return { kind: kindOf(read.statement), format, result, rows, insertedBytes, elapsedSeconds };
  } catch (error) {
    const { code, message } = toEngineError(error);
    // The path of the spool file is replaced, because the client sent the rows in the body.
    throw new EngineError(code, message.replaceAll(path, "body"), { cause: error });
  } finally {
    await rm(path, { force: true });
  }
}

/** Repeats the statement when a damaged part was detached, so that the answer comes from the other parts. */
async function askAround(
  parts: QueryParts,
  text: Buffer,
  signal: AbortSignal,
  ask: (tries: number) => Promise<QueryOutcome>,
): Promise<QueryOutcome> {
  for (let tries = 0; ; tries++) {
    try {
      return withMissing(parts, await ask(tries), text);
    } catch (error) {
      if (signal.aborted || tries === mostDamagedParts) {
        throw error;
      }
      if (!(error instanceof ReadGivenUp || (await parts.quarantine.suspect(error)))) {
        throw error;
      }
    }
  }
}

/**
 * Runs any statement except inserts of rows that the client sends.
 * @param tag names the statement in the engine
 * @param signal aborted when the result is no longer needed
 */
async function runStatement(
  { parts, runner, first, read, parameters }: ReadyStatement,
  tag: string,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const { statement, text } = read;
  const { engine, gate } = parts;
  const kind = kindOf(statement);
  const { format } = parameters;
  // Damage may be found after the client has disconnected, or after it has received the beginning of the result. The
  // damaged part is then detached for later reads.
  const found = (error: unknown): never => {
    void parts.quarantine.suspect(error);
    throw error;
  };
  if (kind === "select" && !statement.inserts && !parameters.waitForEnd) {
    const streamed = await runStreamed(parts, signal, tag, async (pipe) => {
      const sql = resultToFile(text, statement, pipe.path, format);
      return await runner.run({ ...first, isQuestion: true, sql, format, tag, pipe }).catch(found);
    });
    if (streamed !== undefined) {
      return outcomeOfStream(streamed, statement.format ?? format);
    }
  }
  const sql =
    statement.verb === "KILL" ? Buffer.from(killByClientId(text.toString("latin1")), "latin1") : text;
  const isQuestion = kind === "select";
  const run = () => runner.run({ ...first, isQuestion, sql: utf8Text(sql), format, tag }).catch(found);
  let ran: NativeResult;
  const changesTables = kind === "other" && !leavingTables.has(statement.verb);
  if (changesTables) {
    engine.tablesChange();
  }
  try {
    ran = await gate.run(isQuestion ? () => engine.cancelWhen(signal, tag, run) : run, signal);
  } finally {
    // Even a failed statement may have changed some tables.
    if (changesTables) {
      await engine.tablesChanged();
      await parts.quarantine.tablesChanged();
    }
  }
  return {
    kind,
    format: statement.format ?? format,
    result: ran.bytes,
    rows: ran.rowsRead,
    insertedBytes: 0,
    elapsedSeconds: ran.elapsed,
  };
}

function outcomeOfStream({ head, ran, more }: StreamedResult, format: string): QueryOutcome {
  return {
    kind: "select",
    format,
    result: head,
    rows: ran?.rowsRead ?? 0,
    insertedBytes: 0,
    elapsedSeconds: ran?.elapsed ?? 0,
    ...(more === undefined ? {} : { more }),
  };
}
