import {
  type AdminReply,
  type AdminRequest,
  causeOf,
  emptyReply,
  jsonReply,
  requireMethod,
} from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { listPageOf, pageOf } from "server-core/admin/list-page";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { errorWithin, ServerError } from "server-core/errors";
import type { ConfigHistory } from "server-core/history/config-history";
import type { JsonValue } from "server-core/json/json-value";
import { parseJson } from "server-core/json/parse-json";
import { wholeDocument } from "server-core/tree/document-place";
import { diffJson } from "server-core/tree/json-diff";

/** Matches entry numbers: decimal, from 1 on, without leading zeros. */
const numberText = /^[1-9]\d{0,14}$/;

/** The number in a path. @throws ServerError HISTORY_UNKNOWN for anything else */
function entryNumber(text: string): number {
  if (!numberText.test(text)) {
    throw new ServerError("HISTORY_UNKNOWN", `the history has no entry '${text}'`);
  }
  return Number(text);
}

/** The config of an entry. @throws ServerError HISTORY_UNKNOWN */
async function read(history: ConfigHistory, n: number): Promise<JsonValue> {
  return parseJson(Buffer.from(await history.document(n)));
}

/**
 * The config before entry `n`; null when the history no longer stores it. With null, the difference contains the whole
 * config as one addition.
 */
async function readBefore(history: ConfigHistory, n: number): Promise<JsonValue> {
  const earlier = history.before(n)?.n;
  try {
    return earlier === undefined ? null : await read(history, earlier);
  } catch (error) {
    if (history.before(n)?.n === earlier) {
      throw error;
    }
    return null;
  }
}

/**
 * The difference from the previous entry, or from entry `from`, to entry `n`; it starts from null when the earlier
 * entry is no longer stored.
 */
async function difference(history: ConfigHistory, n: number, from: string | null): Promise<AdminReply> {
  const after = await read(history, n);
  const before = from === null ? await readBefore(history, n) : await read(history, entryNumber(from));
  return {
    ...jsonReply(200, diffJson(before, after) as unknown as JsonValue),
    headers: { "Content-Type": "application/json-patch+json" },
  };
}

/**
 * Loads the config of an entry as a new change with all checks; the result becomes a new entry. If this config cannot
 * run now, it is refused, and the running config stays. @throws ServerError
 */
async function rollback(
  engine: ConfigEngine,
  history: ConfigHistory,
  request: AdminRequest,
  n: number,
): Promise<AdminReply> {
  const ifMatch = request.header("if-match");
  try {
    await engine.change({
      method: "POST",
      place: wholeDocument,
      admit: request.admit,
      body: async () => Buffer.from(await history.document(n)),
      author: `${request.author}, rollback to ${n}`,
      cause: causeOf(request),
      ...(ifMatch === "" ? {} : { ifMatch }),
    });
  } catch (error) {
    const isUnknown = error instanceof ServerError && error.code === "HISTORY_UNKNOWN";
    throw isUnknown ? error : errorWithin(`rolling back to entry ${n}`, error);
  }
  return emptyReply;
}

/**
 * The history of configs: `GET /history` with `contains`, `limit` and `offset`, `GET /history/<n>`, `GET
 * /history/<n>/diff` with `?from=<m>`, `POST /history/<n>/rollback`.
 */
export function historyRoutes(engine: ConfigEngine, history: ConfigHistory): AdminRoute[] {
  return [
    {
      path: "/history",
      handle(request) {
        requireMethod(request, "GET");
        const { page, headers } = pageOf(
          history.entries.map((entry) => ({ ...entry })),
          listPageOf(request.query),
          ({ n, at, author, cause = "" }) => `#${n} ${at} ${author} ${cause}`,
        );
        const reply = jsonReply(200, [...page]);
        return { ...reply, headers: { ...reply.headers, ...headers } };
      },
    },
    {
      path: "/history/",
      async handle(request) {
        const [, , text = "", action = "", ...rest] = request.path.split("/");
        if (rest.length > 0 || !["", "diff", "rollback"].includes(action)) {
          throw new ServerError("ADMIN_NOT_FOUND", `resource not found: ${request.path}`);
        }
        requireMethod(request, action === "rollback" ? "POST" : "GET");
        const n = entryNumber(text);
        switch (action) {
          case "diff":
            return difference(history, n, request.query.get("from"));
          case "rollback":
            return rollback(engine, history, request, n);
          default:
            return jsonReply(200, await read(history, n));
        }
      },
    },
  ];
}
