import { charactersOf } from "assistant-tools/fit-budget";
import type { ToolAnswer } from "assistant-tools/tool";
import { z } from "zod";
import { type AdminTool, type AdminToolContext, askAdmin, defineAdminTool } from "./admin-tool.ts";
import { outlineConfig } from "./config-outline.ts";
import { hideSecrets, hideSecretsInPatch } from "./hidden-values.ts";

/** Schema of a text argument with a length limit. */
const text = z.string().max(4_096);
const limit = z.int().min(1).max(1_000).default(50).describe("Most items of the answer.");
const offset = z.int().min(0).max(1_000_000).default(0).describe("Items before those of the answer.");
const contains = text.default("").describe("Only items with this part, in any case.");
/** Advice in a shortened list, for the assistant. */
const rest = "raise budget, or ask again with contains or a larger offset";

/** A path of the config, without empty segments. */
export const configPath = text
  .regex(/^\/(?!.*\/\/)/)
  .describe("Place in the config, as in the admin API: `/`, `/apps/http/servers/example/routes/0`.");

/** Reads a list from the admin API, with the total count of its entries. */
async function listOf(
  context: AdminToolContext,
  path: string,
  args: Readonly<Record<string, string | number>>,
  name: string,
): Promise<ToolAnswer> {
  const query = new URLSearchParams(Object.entries(args).map(([key, value]) => [key, String(value)]));
  const { value, header } = await askAdmin(context, { method: "GET", path, query });
  const items = hideSecrets(value) as unknown[];
  return {
    fields: { [name]: items, total_count: Number(header("x-total-count") ?? items.length) },
    lists: [name],
    rest,
  };
}

/**
 * `get_config`: a part of the config without secrets, cut to the budget. Tools that change the config need the etag in
 * its result.
 */
const getConfig = defineAdminTool({
  name: "get_config",
  title: "Read the config",
  description:
    "The running config, or a part of it, with its ETag for changes. A part that does not fit is named in left_out with its path: ask for " +
    "that. Secrets read (hidden).",
  input: { path: configPath.default("/") },
  async answer({ path, budget }, context) {
    const { value, header } = await askAdmin(context, {
      method: "GET",
      path: `/config${path === "/" ? "/" : path.replace(/\/$/, "")}`,
    });
    const { value: shown, leftOut } = outlineConfig(hideSecrets(value), path, charactersOf(budget) * 0.8);
    return {
      fields: {
        ...{ path, etag: header("etag"), config: shown ?? null },
        ...(leftOut.length > 0 && { parts_left_out: leftOut }),
      },
      lists: ["parts_left_out"],
      rest: "ask for the path of a part",
    };
  },
});

/** `explain_request`: a rehearsal, see routes/rehearsal-route.ts. No request is sent. */
const explainRequest = defineAdminTool({
  name: "explain_request",
  title: "What happens to a request",
  description:
    "What the running config does with a request, without sending it: the routes that match and what their handlers do, why others do not match, " +
    "which handler answers, and the status where it depends on the config alone. may_answer_before lists handlers (logins, limits) that " +
    "only a real request would decide.",
  input: {
    url: z.string().max(8_192).describe("With scheme, host and port: `https://example.com/a?b=c`."),
    method: z.string().max(64).default("GET"),
    headers: z.record(text, text).default({}).describe("Further fields by name."),
    client: text.default("127.0.0.1").describe("Address of the client."),
  },
  async answer({ url, method, headers, client }, context) {
    const query = new URLSearchParams({ url, method, client });
    for (const [name, value] of Object.entries(headers)) {
      query.append("header", `${name}: ${value}`);
    }
    const { value } = await askAdmin(context, { method: "GET", path: "/http/rehearsal", query });
    const fields = hideSecrets(value) as Record<string, unknown>;
    const outline = outlineConfig(fields.answered_by, "/answered_by", charactersOf(6_000) / 3);
    return {
      fields: { ...fields, answered_by: outline.value },
      lists: ["routes", "may_answer_before", "passed"],
      rest: "raise budget",
    };
  },
});

/** `list_routes`: as `GET /http/routes`. */
const listRoutes = defineAdminTool({
  name: "list_routes",
  title: "Routes and their traffic",
  description:
    "Routes of the running config: hosts, paths, matchers, handlers, upstreams, and requests, errors and p95 of the last half minute " +
    "(null before a second question).",
  input: {
    contains,
    order: z.enum(["config", "host", "rate", "errors", "p95"]).default("config"),
    limit,
    offset,
  },
  answer: ({ budget: _budget, ...args }, context) => listOf(context, "/http/routes", args, "routes"),
});

/** `list_upstreams`: as `GET /reverse_proxy/upstreams`, sorted by `trouble`. */
const listUpstreams = defineAdminTool({
  name: "list_upstreams",
  title: "Servers behind proxies",
  description: "Upstreams of all reverse proxies, with requests, failures, health and latency.",
  input: {
    contains,
    order: z.enum(["address", "trouble", "requests", "fails", "latency"]).default("trouble"),
    limit,
    offset,
  },
  answer: ({ budget: _budget, ...args }, context) =>
    listOf(context, "/reverse_proxy/upstreams", { ...args, detail: "true" }, "upstreams"),
});

/** `list_listeners`: as `GET /listeners`. */
const listListeners = defineAdminTool({
  name: "list_listeners",
  title: "Open addresses",
  description: "Addresses where the server listens, with protocols and open connections.",
  input: { contains, limit, offset },
  answer: ({ budget: _budget, ...args }, context) => listOf(context, "/listeners", args, "listeners"),
});

/** `list_certificates`: as `GET /tls/certificates`. */
const listCertificates = defineAdminTool({
  name: "list_certificates",
  title: "Certificates",
  description:
    "Certificates with names, issuer, end and renewal, the first to end first; and names that have none yet, with the reason.",
  input: { contains, limit, offset },
  async answer({ budget: _budget, ...args }, context) {
    const query = new URLSearchParams(Object.entries(args).map(([key, value]) => [key, String(value)]));
    const { value, header } = await askAdmin(context, { method: "GET", path: "/tls/certificates", query });
    const total = header("x-total-count");
    return {
      fields: { ...(value as object), ...(total !== undefined && { total_count: Number(total) }) },
      lists: ["pending", "certificates"],
      rest,
    };
  },
});

/** `list_history`: as `GET /history`. */
const listHistory = defineAdminTool({
  name: "list_history",
  title: "Configs that ran",
  description: "The configs that ran, newest first: number, time, who changed it and with which request.",
  input: { contains, limit, offset },
  answer: ({ budget: _budget, ...args }, context) => listOf(context, "/history", args, "entries"),
});

/** `get_history_diff`: as `GET /history/<n>/diff`, without secrets. */
const getHistoryDiff = defineAdminTool({
  name: "get_history_diff",
  title: "What a change changed",
  description: "The difference that a config of the history made, as a JSON patch.",
  input: {
    n: z.int().min(1).describe("Its number."),
    from: z
      .int()
      .min(1)
      .optional()
      .describe("Number of the config that it is held against (the one before)."),
  },
  async answer({ n, from }, context) {
    const query = new URLSearchParams(from === undefined ? {} : { from: String(from) });
    const { value } = await askAdmin(context, { method: "GET", path: `/history/${n}/diff`, query });
    return { fields: { n, changes: hideSecretsInPatch(value) }, lists: ["changes"], rest: "raise budget" };
  },
});

/**
 * `get_schema`: as `GET /config/schema`. Without an id, it returns only the list of ids, because the whole schema is
 * larger than any budget.
 */
const getSchema = defineAdminTool({
  name: "get_schema",
  title: "Options of a module",
  description:
    "JSON Schema of a module's config: each option with its meaning and default. Ids: `http.handlers.reverse_proxy`, `http.matchers.path`, `http`, " +
    "`tls`. Without an id: the ids of all modules.",
  input: { id: text.optional() },
  async answer({ id, budget }, context) {
    const { value } = await askAdmin(context, {
      method: "GET",
      path: id === undefined ? "/config/schema" : `/config/schema/${id}`,
    });
    if (id !== undefined) {
      const { value: schema } = outlineConfig(value, "", charactersOf(budget));
      return { fields: { id, schema }, lists: [], rest: "raise budget" };
    }
    const { $defs = {} } = value as { readonly $defs?: Readonly<Record<string, unknown>> };
    // The name of an inline module's definition is its id, followed by the member that names the module.
    const ids = Object.keys($defs).flatMap((name) => {
      const [kind = "", inline] = name.split(":");
      return inline === undefined ? [kind] : kind === "inline" ? [inline] : [];
    });
    return { fields: { ids: [...new Set(ids)].sort() }, lists: ["ids"], rest: "raise budget" };
  },
});

/** Tools that only read. */
export const readTools: readonly AdminTool[] = [
  ...[getConfig, explainRequest, listRoutes, listUpstreams, listListeners, listCertificates],
  ...[listHistory, getHistoryDiff, getSchema],
];
