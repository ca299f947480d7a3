// Tools of assistants that try or make changes. Each tool sends requests to the admin API, whose rules and errors
// apply:
//
// | tool | request |
// |---|---|
// | `validate_config` | `POST /validate`; for a serverfile first `POST /adapt` |
// | `preview_change` | `GET /config/`, then `POST /validate` with the changed config |
// | `change_config` | the method and path from the assistant, with `If-Match` |
// | `load_config` | `POST /config/` with `If-Match` |
// | `roll_back` | `POST /history/n/rollback` with `If-Match` |

import type { JsonValue } from "server-core/json/json-value";
import { changeAt } from "server-core/tree/change-at";
import { parseTreePath } from "server-core/tree/tree-path";
import { z } from "zod";
import {
  AdminRefusal,
  type AdminTool,
  type AdminToolContext,
  askAdmin,
  defineAdminTool,
} from "./admin-tool.ts";
import { hasHidden, hideSecrets, hideSecretsInPatch } from "./hidden-values.ts";
import { configPath } from "./read-tools.ts";

/** Maximum number of characters of a config from an assistant. A longer config is refused. */
const maxConfigCharacters = 200_000;

/** Arguments for a change of one part of the config. */
const change = {
  method: z
    .enum(["POST", "PUT", "PATCH", "DELETE"])
    .describe(
      "POST appends to a list, else sets; PUT inserts into a list, else creates; PATCH replaces; DELETE removes.",
    ),
  path: configPath,
  value: z.json().optional().describe("The new value; none for DELETE."),
};
/** Hash that the assistant has read. If another client has changed the config since then, the call fails with 412. */
const etag = z
  .string()
  .min(1)
  .max(1_000)
  .describe(
    "As get_config gave it for the path, or for a path above it: nothing is done if that part has changed since.",
  );
/** A whole config as an argument. */
const config = z.string().min(1).max(maxConfigCharacters).describe("A whole config.");
const format = z
  .enum(["json", "serverfile", "caddyfile"])
  .default("serverfile")
  .describe("`json`, or the text format: serverfile, which is also called caddyfile.");

/**
 * Refuses values with placeholders for secrets, because writing them would replace a secret by "(hidden)". @throws
 * AdminRefusal
 */
function refuseHidden(value: unknown): void {
  if (hasHidden(value)) {
    throw new AdminRefusal(
      "the value has (hidden) or (left out) in it, which would replace what is there: change the members beside it one by one",
    );
  }
}

/** Converts a whole config from an assistant. @returns the config as JSON. @throws AdminRefusal */
async function readConfig(
  context: AdminToolContext,
  given: { readonly config: string; readonly format: string },
): Promise<{ json: Uint8Array; warnings: unknown }> {
  if (given.format === "json") {
    refuseHidden(JSON.parse(given.config));
    return { json: Buffer.from(given.config), warnings: undefined };
  }
  refuseHidden(given.config.includes("(hidden)") ? "(hidden)" : undefined);
  const { value } = await askAdmin(context, {
    ...{ method: "POST", path: "/adapt", body: Buffer.from(given.config) },
    headers: { "content-type": `text/${given.format}` },
  });
  const { result, warnings } = value as { result: unknown; warnings?: unknown };
  return { json: Buffer.from(JSON.stringify(result)), warnings };
}

/** Computes the difference between a config and the running config, and checks that the config would run. */
async function preview(
  context: AdminToolContext,
  json: Uint8Array,
  warnings: unknown,
): Promise<{ fields: Record<string, unknown>; lists: string[]; rest: string }> {
  const question = {
    ...{ method: "POST", path: "/validate", body: json },
    headers: { "content-type": "application/json" },
  };
  const { value } = await askAdmin(context, question, [400]);
  const fields = hideSecrets(value) as Record<string, unknown>;
  if (!("valid" in fields)) {
    throw new AdminRefusal(String(fields.error ?? "the config is not understood"));
  }
  const changes = hideSecretsInPatch((value as { readonly changes: unknown }).changes);
  return {
    fields: { ...fields, changes, ...(warnings === undefined ? {} : { warnings }) },
    lists: ["changes", "errors"],
    rest: "raise budget",
  };
}

/** Tools that show the effect of a change without changing anything. */
export const previewTools: readonly AdminTool[] = [
  defineAdminTool({
    name: "validate_config",
    title: "Would a config run?",
    description:
      "Whether a whole config, JSON or serverfile, would run: all faults with their place, and what it would change of the running config " +
      "as a JSON patch. Nothing changes; ports are not tried.",
    input: { config, format },
    async answer(args, context) {
      const { json, warnings } = await readConfig(context, args);
      return preview(context, json, warnings);
    },
  }),
  defineAdminTool({
    name: "preview_change",
    title: "What a change would do",
    description:
      "Whether the config would run with a change of one part, and what the change would be as a JSON patch. Nothing changes.",
    input: change,
    async answer({ method, path, value }, context) {
      refuseHidden(value);
      const { value: whole } = await askAdmin(context, { method: "GET", path: "/config/" });
      const place = parseTreePath(`/config${path}`);
      const previewAs = (wantsArray: () => boolean) => {
        const change = { method, path: place, value: (value ?? null) as JsonValue, wantsArray };
        const { config: changed } = changeAt({ config: whole as JsonValue }, change);
        return preview(context, Buffer.from(JSON.stringify(changed)), undefined);
      };
      // At an empty place, POST may set or append: the schema allows only one of them.
      const set = await previewAs(() => false);
      if (set.fields.valid === true || method !== "POST") {
        return set;
      }
      const appended = await previewAs(() => true);
      return appended.fields.valid === true ? appended : set;
    },
  }),
];

/** Requests a change, and returns the ETag of the new config. */
async function apply(
  context: AdminToolContext,
  question: { readonly method: string; readonly path: string; readonly body?: Uint8Array },
  ifMatch: string,
): Promise<{ fields: Record<string, unknown>; lists: string[]; rest: string }> {
  await askAdmin(context, {
    ...question,
    headers: { "content-type": "application/json", "if-match": ifMatch },
  });
  const { header } = await askAdmin(context, { method: "GET", path: "/config/" });
  return { fields: { applied: true, config_etag: header("etag") }, lists: [], rest: "" };
}

/** Tools that change the running config, if the operator allows them. */
export const changeTools: readonly AdminTool[] = [
  defineAdminTool({
    name: "change_config",
    title: "Change a part of the config",
    description:
      "Changes one part of the running config, at once and as a whole: if it does not run, nothing changes and the error says why. " +
      "Call preview_change before, and show people what it said.",
    changes: true,
    input: { ...change, etag },
    async answer({ method, path, value, etag: ifMatch }, context) {
      refuseHidden(value);
      const body = method === "DELETE" ? undefined : Buffer.from(JSON.stringify(value ?? null));
      const question = { method, path: `/config${path}`, ...(body && { body }) };
      return apply(context, question, ifMatch);
    },
  }),
  defineAdminTool({
    name: "load_config",
    title: "Replace the config",
    description:
      "Replaces the whole running config. Call validate_config before, and show people what it said. roll_back takes it back.",
    changes: true,
    input: {
      config,
      format,
      etag: etag.describe("That of the whole config, from get_config with path `/`."),
    },
    async answer({ etag: ifMatch, ...given }, context) {
      const { json } = await readConfig(context, given);
      return apply(context, { method: "POST", path: "/config/", body: json }, ifMatch);
    },
  }),
  defineAdminTool({
    name: "roll_back",
    title: "Go back to an earlier config",
    description: "Runs a config of the history again; list_history has its number.",
    changes: true,
    input: {
      n: z.int().min(1).describe("Its number."),
      etag: etag.describe("That of the whole config, from get_config with path `/`."),
    },
    answer: ({ n, etag: ifMatch }, context) =>
      apply(context, { method: "POST", path: `/history/${n}/rollback` }, ifMatch),
  }),
];
