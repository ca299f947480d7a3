import { headerText } from "http-engine/header-list";
import {
  type RehearsalReport,
  type RehearsalRequest,
  rehearsalTopic,
} from "http-engine/rehearsal/rehearsal-request";
import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { parseJsonPointer } from "server-core/tree/json-pointer";

/**
 * Maximum number of characters of the URL, and of a header field; longer ones are refused. Texts of real clients are
 * shorter.
 */
const maxTextLength = 8_192;
/** Maximum number of `header` parameters in one request. A request with more is refused. */
const maxFields = 100;

/** @throws ServerError ADMIN_REQUEST */
function refuse(message: string): never {
  throw new ServerError("ADMIN_REQUEST", message);
}

/** Builds the request to rehearse from the query. @throws ServerError ADMIN_REQUEST naming the parameter */
function requestOf(query: URLSearchParams): RehearsalRequest {
  for (const name of query.keys()) {
    if (!["url", "method", "header", "client"].includes(name)) {
      refuse(`unknown parameter ${JSON.stringify(name.slice(0, 40))}; known are url, method, header, client`);
    }
  }
  const text = query.get("url") ?? "";
  const match = /^(https?):\/\/([^/?#\s]+)([/?][^#\s]*)?$/i.exec(text);
  if (match === null || text.length > maxTextLength || !URL.canParse(text)) {
    refuse("url must be http:// or https:// with a host, at most 8192 characters, without #");
  }
  const [, scheme = "", hostport = "", target = "/"] = match;
  const method = query.get("method") ?? "GET";
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(method)) {
    refuse("method must be a token of at most 64 characters");
  }
  const fields = query.getAll("header");
  if (fields.length > maxFields) {
    refuse(`${fields.length} header parameters, at most ${maxFields}`);
  }
  const headers = fields.flatMap((field) => {
    const parts = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([^\r\n\0]*)$/.exec(field);
    if (parts === null || field.length > maxTextLength) {
      refuse(`header must be "Name: value": ${JSON.stringify(field.slice(0, 40))}`);
    }
    return [parts[1] ?? "", parts[2] ?? ""];
  });
  const port = /:(\d+)$/.exec(hostport)?.[1];
  return {
    method,
    scheme: scheme.toLowerCase() as "http" | "https",
    hostport,
    port: port === undefined ? undefined : Number(port),
    target: target.startsWith("?") ? `/${target}` : target,
    headers,
    remoteAddress: query.get("client") ?? "127.0.0.1",
  };
}

/** The JSON pointer of a path below the app; undefined for a part that the server added to the config. */
function pointerOf(path: string): string | undefined {
  return path.includes("/added/") || path.startsWith("servers/remaining_auto_https_redirects/")
    ? undefined
    : `/apps/http/${path.replace(/(\/named_routes\/[^/]+)\/0(?=\/|$)/, "$1")}`;
}

/** The part of the config at a pointer. @returns undefined when the config no longer has this part */
function configAt(config: JsonValue, pointer: string): JsonValue | undefined {
  let here: JsonValue | undefined = config;
  for (const token of parseJsonPointer(pointer)) {
    here = isJsonArray(here) ? here[Number(token)] : isJsonObject(here) ? member(here, token) : undefined;
  }
  return here;
}

/** Header fields by name, each with all its values. */
function fieldsOf(headers: readonly string[]): JsonValue {
  const fields = new Map<string, string[]>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? "";
    fields.set(name, [...(fields.get(name) ?? []), headerText(headers[index + 1] ?? "").toWellFormed()]);
  }
  return Object.fromEntries(fields);
}

/** Converts the report of a thread to the response: paths become JSON pointers, and missing parts become null. */
function encode(report: RehearsalReport, config: JsonValue): JsonValue {
  const place = (path: string) => ({ at: pointerOf(path) ?? null });
  const { answeredBy, server, passedCount, status, headers, failure } = report;
  const pointer = answeredBy && pointerOf(answeredBy.path);
  const answering = pointer === undefined ? undefined : configAt(config, pointer);
  return {
    server: server ?? null,
    listeners: report.listeners.map(({ address, tls }) => ({ address, tls })),
    routes: report.routes.map(({ path, handlers, after }) => ({
      ...place(path),
      handlers: handlers.map(({ name, effect, path: at }) => ({ ...place(at), name, effect })),
      ...(after && { after: { ...after } }),
    })),
    passed: report.passed.map(({ path, refused }) => ({ ...place(path), refused_by: [...refused] })),
    passed_count: passedCount,
    failure: failure === undefined ? null : { ...failure },
    answered_by:
      answeredBy === undefined
        ? null
        : { ...place(answeredBy.path), name: answeredBy.name, config: answering ?? null },
    may_answer_before: report.routes.flatMap(({ handlers }) =>
      handlers.flatMap(({ name, effect, path }) =>
        effect === "may answer" ? [{ ...place(path), name }] : [],
      ),
    ),
    status: status ?? null,
    headers: fieldsOf(headers),
  };
}

/**
 * `GET /http/rehearsal?url=…`: explains how the running config would handle a request: its routes, what their handlers
 * do, and which one answers. No upstream is contacted, and no counter changes. Accepts `method`, `header` (repeatable)
 * and `client`, the client's address.
 */
export function rehearsalRoute(engine: ConfigEngine, messages: ThreadMessages): AdminRoute {
  return {
    path: "/http/rehearsal",
    async handle(request) {
      requireMethod(request, "GET");
      const asked = requestOf(request.query);
      const { config } = engine;
      const [report] = (await messages.askServing(rehearsalTopic, asked)) as RehearsalReport[];
      if (report === undefined) {
        throw new ServerError("ADMIN_REQUEST", "the running config has no servers");
      }
      return jsonReply(200, encode(report, config));
    },
  };
}
