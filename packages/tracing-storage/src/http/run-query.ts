import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../engine/engine.ts";
import { EngineError, engineError, toEngineError } from "../engine/engine-error.ts";
import type { QueryGate } from "../engine/query-gate.ts";
import { sessionStatement } from "../sql/session-statement.ts";
import { insertFromFile, killByClientId, readStatement, type Statement } from "../sql/statement.ts";
import type { QueryParameters } from "./query-parameters.ts";
import type { RequestBody } from "./request-body.ts";

/** As ClickHouse's default for `max_query_size`, which a request may raise up to the second figure. */
const maxQueryBytes = 256 * 1024;
const maxRaisedQueryBytes = 16 * 1024 * 1024;

export interface QueryOutcome {
  readonly kind: "select" | "insert" | "other";
  /** Format of `result`. */
  readonly format: string;
  readonly result: Buffer;
  /** Rows of the result, or rows that the insert brought. */
  readonly rows: number;
  /** Decompressed bytes of the rows that the insert brought. */
  readonly insertedBytes: number;
  readonly elapsedSeconds: number;
}

function kindOf({ verb }: Statement): QueryOutcome["kind"] {
  return verb === "INSERT"
    ? "insert"
    : /^(SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|EXISTS|FROM)$/.test(verb)
      ? "select"
      : "other";
}

/** The statement, and where the rows of an insert are: some may stand in the text, behind the statement. */
interface StatementText {
  readonly statement: Statement;
  readonly text: Buffer;
  /** The first byte of the body that is not in `text`. */
  readonly bodyFrom: number;
}

/**
 * Reads the statement from the `query` parameter and, behind it, as much of the body as a query may be long.
 * When the parameter already holds an insert, the body is rows and stays unread.
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

/**
 * Runs the query of one request. Rows of an insert go to a file of the spool first, so that a slow client holds no
 * place in the engine, and from there into the table; so every format works, binary ones too, and a body may be
 * larger than memory.
 * @param signal aborted when the client leaves: cancels what only reads; an insert under way goes on
 * @throws EngineError
 */
export async function runQuery(
  engine: Engine,
  gate: QueryGate,
  parameters: QueryParameters,
  body: RequestBody,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const { statement, text, bodyFrom } = await readText(parameters, body);
  if (statement.verb === "") {
    throw engineError("SYNTAX_ERROR", "Syntax error: empty query");
  }
  const kind = kindOf(statement);
  if (parameters.readOnly && kind !== "select") {
    // `readonly = 2` stops writes; the engine still runs SYSTEM and KILL.
    throw engineError("READONLY", `Cannot execute ${statement.verb} with GET or HEAD: use POST`);
  }
  const prepare = sessionStatement(parameters);
  const tag = parameters.queryId;

  if (statement.insert !== undefined) {
    const path = join(engine.folder.spoolPath, randomUUID());
    try {
      const insertedBytes = await body.spool(path, text.subarray(statement.insert.dataAt), bodyFrom);
      const sql = insertFromFile(text, statement.insert, path);
      const ran = await gate.run(() => engine.run({ prepare, sql, format: parameters.format, tag }), signal);
      return {
        kind,
        format: parameters.format,
        result: ran.bytes,
        rows: ran.rowsRead,
        insertedBytes,
        elapsedSeconds: ran.elapsed,
      };
    } catch (error) {
      const { code, message } = toEngineError(error);
      // The spool is nobody's business, and the rows were read from the body as far as the client knows.
      throw new EngineError(code, message.replaceAll(path, "body"), { cause: error });
    } finally {
      await rm(path, { force: true });
    }
  }

  const sql =
    statement.verb === "KILL" ? Buffer.from(killByClientId(text.toString("latin1")), "latin1") : text;
  const run = () => engine.run({ prepare, sql: sql.toString("utf8"), format: parameters.format, tag });
  const ran = await gate.run(kind === "select" ? () => engine.cancelWhen(signal, tag, run) : run, signal);
  return {
    kind,
    format: statement.format ?? parameters.format,
    result: ran.bytes,
    rows: ran.rowsRead,
    insertedBytes: 0,
    elapsedSeconds: ran.elapsed,
  };
}
