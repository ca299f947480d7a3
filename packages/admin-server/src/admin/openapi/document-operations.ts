import {
  body,
  type DocumentedAnswer,
  type DocumentedOperation,
  done,
  guards,
  header,
  json,
  listPageParameters,
  path,
  query,
  refused,
  totalCount,
} from "./operations.ts";

/** A body in any format: like Caddy, `/load` accepts formats other than JSON. */
const anyFormat = body(
  "A whole config. The part of the media type after the slash names the format: json, json5, yaml, toml, …",
  {
    "application/json": { $ref: "#/components/schemas/Config" },
    "text/*": { type: "string" },
    "application/*": { type: "string" },
  },
);
const tooLarge = refused("The body is over 100 MiB.");
const entry = path("n", "Number of the entry.", { type: "integer", minimum: 1 });
const noEntry = refused("The history has no such entry.");
const ifMatch = header("If-Match", 'ETag of `/config/` or of a part of it, `"<path> <hash>"`.');

/** Documents a GET operation, with the responses that all operations share. */
function get(operation: Omit<DocumentedOperation, "responses">, responses: Record<string, DocumentedAnswer>) {
  return { get: { ...operation, responses: { ...responses, ...guards } } };
}

function post(
  operation: Omit<DocumentedOperation, "responses">,
  responses: Record<string, DocumentedAnswer>,
) {
  return { post: { ...operation, responses: { ...guards, ...responses } } };
}

/** Operations on whole configs, their schema and their history. */
export const documentOperations = {
  "/load": post(
    {
      operationId: "load",
      summary: "Replace the whole config",
      parameters: [header("Cache-Control", "`must-revalidate` loads it even if it is the running one.")],
      requestBody: anyFormat,
    },
    {
      "200": {
        description: "It runs. A body only where the adapter warns.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Warnings" } } },
      },
      "413": tooLarge,
    },
  ),
  "/adapt": post(
    {
      operationId: "adapt",
      summary: "Turn a config of another format into JSON, or JSON into a serverfile",
      description: "`Accept: text/serverfile` asks for a serverfile that adapts to the same JSON.",
      requestBody: anyFormat,
    },
    {
      "200": {
        description: "The config as JSON, or as text when `Accept` asks for it.",
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/Adapted" } },
          "text/serverfile": { schema: { type: "string" } },
        },
      },
      "406": refused("No serverfile says the part of the config that the path names."),
      "413": tooLarge,
    },
  ),
  "/validate": post(
    {
      operationId: "validate",
      summary: "Check a config without loading it",
      description: "Ports are not tried. Nothing changes.",
      requestBody: anyFormat,
    },
    {
      "200": json("It would run.", { $ref: "#/components/schemas/Verdict" }),
      "400": json("It would be refused, or cannot be read.", {
        anyOf: [{ $ref: "#/components/schemas/Verdict" }, { $ref: "#/components/schemas/Error" }],
      }),
      "413": tooLarge,
    },
  ),
  "/stop": post({ operationId: "stop", summary: "Stop the server" }, { "200": done }),
  "/config/schema": get(
    { operationId: "schema", summary: "JSON Schema of the config" },
    { "200": json("JSON Schema 2020-12.", { type: "object" }, "application/schema+json") },
  ),
  "/config/schema/{module}": get(
    {
      operationId: "moduleSchema",
      summary: "JSON Schema of one module's config",
      parameters: [path("module", "Id of a module: `http.handlers.static_response`.")],
    },
    {
      "200": json("JSON Schema 2020-12.", { type: "object" }, "application/schema+json"),
      "404": refused("There is no such module."),
    },
  ),
  "/history": get(
    {
      operationId: "history",
      summary: "The configs that ran, newest first",
      parameters: listPageParameters,
    },
    {
      "200": {
        ...json("The entries.", { type: "array", items: { $ref: "#/components/schemas/HistoryEntry" } }),
        headers: totalCount,
      },
    },
  ),
  "/history/{n}": get(
    { operationId: "historyEntry", summary: "One of them", parameters: [entry] },
    { "200": json("The config.", { $ref: "#/components/schemas/Config" }), "404": noEntry },
  ),
  "/history/{n}/diff": get(
    {
      operationId: "historyDiff",
      summary: "What it changed, as a JSON patch",
      parameters: [
        entry,
        query("from", "Entry to compare with; the one before when absent.", { type: "integer" }),
      ],
    },
    {
      "200": json("The patch.", { $ref: "#/components/schemas/JsonPatch" }, "application/json-patch+json"),
      "404": noEntry,
    },
  ),
  "/history/{n}/rollback": post(
    { operationId: "rollback", summary: "Load it again", parameters: [entry, ifMatch] },
    { "200": done, "404": noEntry, "412": refused("The part that If-Match names is another by now.") },
  ),
};
